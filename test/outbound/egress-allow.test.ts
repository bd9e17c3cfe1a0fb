import { expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const WARNING = 'deliveries to these address ranges pass the address guard'

test.each([
  ['allowed address ranges are logged as a warning at the start', '10.1.0.0/16,fd00::/8', true],
  ['without allowed address ranges, there is no warning', '', false],
])('%s', async (_what, allow, isLogged) => {
  await using database = await createTestDatabase()
  await using posthorn = startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(database.url),
      POSTHORN_EGRESS_ALLOW: allow,
      POSTHORN_LOG_LEVEL: 'info',
    },
  })
  await until(
    () => /"msg":"[^"]*listening|ready/i.test(posthorn.stderr + posthorn.stdout),
    'Posthorn runs',
  )
  const lines = posthorn.stderr.split('\n').filter((line) => line.startsWith('{'))
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === WARNING)
  expect(warnings).toMatchObject(isLogged ? [{ level: 'warn', allow: allow.split(',') }] : [])
})

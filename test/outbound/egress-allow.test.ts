import { expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const WARNING = 'deliveries to these address ranges pass the address guard'

test.each([
  ['a way around the guard is told at the start, with its ranges', '10.1.0.0/16,fd00::/8', true],
  ['without a way around the guard, there is nothing to tell', '', false],
])('%s', async (_what, allow, isTold) => {
  await using database = await createTestDatabase()
  await using posthorn = startPosthorn(['start'], {
    environment: {
      ...testEnvironment(database.url),
      POSTHORN_EGRESS_ALLOW: allow,
      POSTHORN_LOG_LEVEL: 'info',
    },
  })
  await until(
    () => /"msg":"[^"]*listening|ready/i.test(posthorn.stderr + posthorn.stdout),
    'it runs',
  )
  const lines = posthorn.stderr.split('\n').filter((line) => line.startsWith('{'))
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === WARNING)
  expect(told).toMatchObject(isTold ? [{ level: 'warn', allow: allow.split(',') }] : [])
})

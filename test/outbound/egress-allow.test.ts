import { expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { logLine } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'

const WARNING = 'deliveries may reach these address ranges, public or not'

test('allowed address ranges are logged as a warning at the start', async () => {
  await using database = await createTestDatabase()
  await using posthorn = startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(database.url),
      POSTHORN_EGRESS_ALLOW: '10.1.0.0/16,fd00::/8',
      POSTHORN_LOG_LEVEL: 'info',
    },
  })
  const warning = await logLine(posthorn, { msg: WARNING })
  expect(warning).toMatchObject({ level: 'warn', allow: ['10.1.0.0/16', 'fd00::/8'] })
})

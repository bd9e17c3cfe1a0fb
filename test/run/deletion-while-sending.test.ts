import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook } from '../../src/webhooks/save-webhook.ts'
import { deleteWebhook } from '../../src/webhooks/webhook.ts'
import { publish } from '../scheduling/support/backlog.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const database = await useTestDatabase()

test('webhooks that are deleted while their deliveries are sent leave no pending delivery, no failed job and no error in the log', async () => {
  const { pool, prisma } = database
  const environment = testEnvironment(database.url)
  const key = Buffer.from(environment['POSTHORN_ENCRYPTION_KEYS'] as string, 'base64')
  const keyring = createKeyring([key])
  const deps = { prisma, keyring, guard: createAddressGuard([]), actor: SYSTEM }
  const { organizationId, publicOrganizationId } = await createTenant(prisma)
  await using worker = startPosthorn(['start', '--role', 'worker'], {
    environment: { ...environment, POSTHORN_LOG_LEVEL: 'info' },
  })
  await logLine(worker, { msg: 'ready' })
  for (let round = 0; round < 2; round++) {
    const { id } = await createWebhook(deps, organizationId, {
      url: 'https://receiver.invalid/',
      eventSubscriptions: [JOINED],
      enabled: true,
    })
    await publish(pool, publicOrganizationId, 100)
    await deleteWebhook(deps, organizationId, id)
  }
  await until(
    async () => (await prisma.delivery.count({ where: { state: 'pending' } })) === 0,
    'no delivery is pending',
    60_000,
  )
  const { rows } = await pool.query(
    `select last_error from graphile_worker.jobs
     where last_error is not null and last_error not like '%receiver.invalid%'`,
  )
  expect(rows).toEqual([])
  expect(logLines(worker).filter(({ level }) => level === 'error')).toEqual([])
})

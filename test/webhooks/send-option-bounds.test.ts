import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook, updateWebhook } from '../../src/webhooks/webhook.ts'
import { sharedDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const DAY = 86_400

const { prisma, pool } = await sharedDatabase()
const keyring = createKeyring([randomBytes(32)])
const deps = { prisma, keyring, guard: createAddressGuard([]), actor: SYSTEM }
const { organizationId } = await createTenant(prisma)
const fields = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }
const { id } = await createWebhook(deps, organizationId, fields)
const uuid = parseId('webhook', id) as string

test.each([
  [{ rateLimitPerSecond: 1 }, { rateLimitPerSecond: 0 }],
  [{ rateLimitPerSecond: 10_000 }, { rateLimitPerSecond: 10_001 }],
  [{ maxInFlight: 1 }, { maxInFlight: 0 }],
  [{ maxInFlight: 200 }, { maxInFlight: 201 }],
  [{ retryScheduleSeconds: [] }, { retryScheduleSeconds: [1.5] }],
  [{ retryScheduleSeconds: Array(20).fill(DAY) }, { retryScheduleSeconds: Array(21).fill(1) }],
  [{ retryScheduleSeconds: [1, DAY, 1] }, { retryScheduleSeconds: [5, DAY + 1] }],
  [{ timeoutSeconds: 1 }, { timeoutSeconds: 0 }],
  [{ timeoutSeconds: 30 }, { timeoutSeconds: 31 }],
])('%j is accepted, by Postgres too, and %j is not', async (accepted, rejected) => {
  await updateWebhook(deps, organizationId, id, accepted)
  const beyond = updateWebhook(deps, organizationId, id, rejected)
  await expect(beyond).rejects.toMatchObject({ code: 'invalid' })
  const stored = await prisma.webhook.findUniqueOrThrow({ where: { id: uuid } })
  expect(stored).toMatchObject(accepted)
})

const own = (delays: string) => `own_retry_schedule = true, retry_schedule_seconds = ${delays}`

test.each([
  ['rate_limit_per_second = 0', 'rate_limit_per_second_is_1_to_10000'],
  ['rate_limit_per_second = 10001', 'rate_limit_per_second_is_1_to_10000'],
  ['max_in_flight = 0', 'max_in_flight_is_1_to_200'],
  ['max_in_flight = 201', 'max_in_flight_is_1_to_200'],
  ['timeout_seconds = 0', 'timeout_seconds_is_1_to_30'],
  ['timeout_seconds = 31', 'timeout_seconds_is_1_to_30'],
  [own('array_fill(1, array[21])'), 'retry_schedule_has_at_most_20_delays'],
  [own("'{5,0}'"), 'retry_delays_are_1_second_to_1_day'],
  [own("'{86401}'"), 'retry_delays_are_1_second_to_1_day'],
  [own("'{5,null}'"), 'retry_delays_are_1_second_to_1_day'],
  [
    "own_retry_schedule = false, retry_schedule_seconds = '{5}'",
    'retry_delays_need_own_retry_schedule',
  ],
])('Postgres rejects %s', async (assignment, constraint) => {
  const update = pool.query(`update posthorn.webhooks set ${assignment} where id = $1`, [uuid])
  await expect(update).rejects.toMatchObject({ constraint })
})

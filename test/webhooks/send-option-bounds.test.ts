import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createFindSendOptions } from '../../src/webhooks/send-options.ts'
import { createWebhook, updateWebhook } from '../../src/webhooks/webhook.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const DAY = 86_400
const FIELDS = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }

let id: string
let uuid: string

const database = await useTestDatabase()
const { prisma, pool } = database
const keyring = createKeyring([randomBytes(32)])
const deps = { prisma, keyring, guard: createAddressGuard([]), actor: SYSTEM }
const find = createFindSendOptions(pool, keyring)
const { organizationId } = await createTenant(prisma)

beforeEach(async () => {
  ;({ id } = await createWebhook(deps, organizationId, FIELDS))
  uuid = parseId('webhook', id) as string
})

const change = (input: object) => updateWebhook(deps, organizationId, id, input)

const stored = () => prisma.webhook.findUniqueOrThrow({ where: { id: uuid } })

/** The options of an attempt that starts now. */
const current = async () => await find(uuid, String((await stored()).revision))

test('the send options of an attempt follow each change and each reset to null', async () => {
  await change({
    rateLimitPerSecond: 50,
    maxInFlight: 3,
    retryScheduleSeconds: [5, 60],
    timeoutSeconds: 7,
    ordered: true,
  })
  const tuned = {
    maxInFlight: 3,
    ratePerSecond: 50,
    ordered: true,
    timeoutMs: 7_000,
    retryScheduleMs: [5_000, 60_000],
  }
  expect(await current()).toMatchObject(tuned)
  await change({ maxInFlight: null })
  expect(await current()).toMatchObject({ ...tuned, maxInFlight: null })
  await change({ retryScheduleSeconds: [] })
  expect(await current()).toMatchObject({ ...tuned, maxInFlight: null, retryScheduleMs: [] })
  await change({
    rateLimitPerSecond: null,
    retryScheduleSeconds: null,
    timeoutSeconds: null,
    ordered: null,
  })
  expect(await current()).toMatchObject({
    maxInFlight: null,
    ratePerSecond: null,
    ordered: false,
    timeoutMs: null,
    retryScheduleMs: null,
  })
})

test.each([
  [{ rateLimitPerSecond: 1 }],
  [{ rateLimitPerSecond: 10_000 }],
  [{ maxInFlight: 1 }],
  [{ maxInFlight: 200 }],
  [{ retryScheduleSeconds: [] }],
  [{ retryScheduleSeconds: Array(20).fill(DAY) }],
  [{ retryScheduleSeconds: [1, DAY, 1] }],
  [{ timeoutSeconds: 1 }],
  [{ timeoutSeconds: 30 }],
])('a value at its bound is accepted by the rules and by Postgres: %j', async (input) => {
  await change(input)
  expect(await stored()).toMatchObject(input)
})

const NOT_A_NUMBER = 'from 1 to 86,400, not 1.5; give seconds'

test.each([
  [{ rateLimitPerSecond: 0 }, 'too_small', 'from 1 to 10,000, not 0; give null for no limit.'],
  [{ rateLimitPerSecond: 10_001 }, 'too_big', 'from 1 to 10,000, not 10001;'],
  [{ rateLimitPerSecond: 1.5 }, 'invalid_type', 'a whole number from 1 to 10,000, not 1.5;'],
  [{ maxInFlight: 0 }, 'too_small', 'from 1 to 200, not 0; give null for the default.'],
  [{ maxInFlight: 201 }, 'too_big', 'from 1 to 200, not 201;'],
  [{ maxInFlight: '20' }, 'invalid_type', 'from 1 to 200, not "20";'],
  [{ retryScheduleSeconds: Array(21).fill(1) }, 'too_many', 'at most 20 delays, not 21;'],
  [{ retryScheduleSeconds: [5, 0] }, 'too_small', 'retryScheduleSeconds[1] must be a whole number'],
  [{ retryScheduleSeconds: [5, DAY + 1] }, 'too_big', 'from 1 to 86,400, not 86401;'],
  [{ retryScheduleSeconds: [1.5] }, 'too_small', NOT_A_NUMBER],
  [{ retryScheduleSeconds: 5 }, 'invalid_type', 'an array of delays in seconds'],
  [{ timeoutSeconds: 0 }, 'too_small', 'from 1 to 30, not 0;'],
  [{ timeoutSeconds: 31 }, 'too_big', 'from 1 to 30, not 31;'],
  [{ ordered: 'yes' }, 'invalid_type', 'must be true or false'],
])('a value out of bounds is rejected: %j', async (input, code, detail) => {
  const before = await stored()
  await expect(change(input)).rejects.toMatchObject({
    code: 'invalid',
    issues: [{ code, detail: expect.stringContaining(detail) }],
  })
  expect(await stored()).toEqual(before)
})

test('a schedule with too many delays has one issue', async () => {
  await expect(change({ retryScheduleSeconds: Array(100_000).fill(0) })).rejects.toMatchObject({
    issues: [{ path: ['retryScheduleSeconds'], code: 'too_many' }],
  })
})

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
  ["retry_schedule_seconds = '{5}'", 'retry_delays_need_own_retry_schedule'],
])('Postgres rejects %s', async (assignment, constraint) => {
  const update = database.pool.query(`update posthorn.webhooks set ${assignment} where id = $1`, [
    uuid,
  ])
  await expect(update).rejects.toMatchObject({ constraint })
})

function own(delays: string): string {
  return `own_retry_schedule = true, retry_schedule_seconds = ${delays}`
}

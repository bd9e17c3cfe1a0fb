import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database, Sql } from '../../src/db/client.ts'
import { createRecordAttempt } from '../../src/deliveries/record-attempt.ts'
import { createKeyring } from '../../src/encryption.ts'
import { createCatalogue } from '../../src/events/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { publicId } from '../../src/ids.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { attemptOf, SENT_BY } from '../support/attempts.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

let database: Database

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => await database[Symbol.asyncDispose]())

async function makeDeliveries(count: number) {
  const { prisma, pool } = database
  const { organizationId } = await createTenant(prisma)
  const deps = { prisma, keyring: createKeyring([Buffer.alloc(32)]), guard: createAddressGuard([]) }
  await createWebhook(deps, organizationId, {
    url: 'https://example.com/hook',
    eventSubscriptions: [JOINED],
    enabled: true,
  })
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await createPublishEvents(pool, createCatalogue(pool))(organizationId, events)
  return await prisma.delivery.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })
}

test('as many attempts as a process can have under way at once are recorded by one statement', async () => {
  const { pool } = database
  const deliveries = await makeDeliveries(60)
  const together: number[] = []
  const counting: Sql = {
    query: (asked: pg.QueryConfig) => {
      together.push(`${asked.values?.[0]}`.split(',').length)
      return pool.query(asked)
    },
  } as Sql

  const record = createRecordAttempt(counting, SENT_BY, 25)
  const recorded = await Promise.all(
    deliveries.map(({ id }) => record(attemptOf(publicId('delivery', id), 200))),
  )

  expect(together).toEqual([25, 25, 10])
  expect(recorded.map((one) => one?.state)).toEqual(deliveries.map(() => 'succeeded'))
})

test('of attempts that are recorded together, each is recorded and answered as it was', async () => {
  const { prisma, pool } = database
  const deliveries = await makeDeliveries(8)
  const shared = { 'x-shared': 'a "quote" and \\ more' }
  // In no order of their deliveries, and no two alike.
  const records = deliveries.toReversed().map(({ id }, n) => {
    const status = [200 + n, 500 + n, 200 + n, null][n % 4] as number | null
    const answered = {
      firstByteMs: n,
      responseHeaders: n === 4 ? {} : n < 3 ? shared : { 'x-own': `${n}` },
      responseBody: Buffer.from(`body ${n}`),
      responseBodyTruncated: n > 4,
    }
    return attemptOf(publicId('delivery', id), status, {
      startedAt: new Date(Date.now() - n * 1_000),
      durationMs: 10 * n,
      ...(status === null ? { errorCode: `code_${n}`, error: `Error ${n}.` } : answered),
      requestUrl: `https://example.com/${n}`,
      requestSignature: `v1,${n}`,
      resent: n % 2 === 1,
      waitedMs: 5 * n,
      requestHeaderNames: Array.from({ length: n % 3 }, (_, i) => `X-${n}-${i}`),
      retryDelayMs: n === 1 ? null : n * 60_000,
      keepsSchedule: n === 7,
    })
  })

  const record = createRecordAttempt(pool, SENT_BY)
  const answers = await Promise.all(records.map(record))

  const attempts = await prisma.attempt.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    include: { delivery: true },
    orderBy: { deliveryId: 'desc' },
  })
  expect(attempts).toMatchObject(
    records.map(({ deliveryUuid, retryDelayMs, keepsSchedule, isAwaited, ...told }, n) => ({
      ...told,
      deliveryId: deliveryUuid,
      number: 1,
      responseBody: told.responseBody && new Uint8Array(told.responseBody),
      delivery: {
        state: told.succeeded ? 'succeeded' : n === 1 ? 'exhausted' : 'pending',
        schedulePosition: keepsSchedule ? 0 : 1,
      },
    })),
  )
  expect(answers).toEqual(
    attempts.map(({ id, delivery }) => ({
      attemptId: id,
      number: 1,
      state: delivery.state,
      nextAttemptAt: delivery.nextAttemptAt,
      // Of its webhook, to which some were delivered.
      consecutiveFailures: 0,
      failingSince: null,
    })),
  )
  const laterMs = (n: number) => Number(answers[n]?.nextAttemptAt) - Date.now()
  for (const n of [3, 5, 7]) {
    expect(laterMs(n)).toBeGreaterThan((n - 1) * 60_000)
    expect(laterMs(n)).toBeLessThanOrEqual(n * 60_000)
  }
})

test('an attempt that Postgres refuses is refused alone, and those that ended with it are recorded once', async () => {
  const { prisma, pool } = database
  const deliveries = await makeDeliveries(30)

  const record = createRecordAttempt(pool, SENT_BY)
  const bad = (n: number) => n % 10 === 4
  const results = await Promise.allSettled(
    deliveries.map(({ id }, n) =>
      // A success that was answered with 500 breaks a constraint.
      record(attemptOf(publicId('delivery', id), bad(n) ? 500 : 200, { succeeded: true })),
    ),
  )

  expect(results).toHaveLength(30)
  for (const [n, result] of results.entries()) {
    const expected = bad(n)
      ? { status: 'rejected', reason: { constraint: 'succeeded_means_2xx' } }
      : { status: 'fulfilled', value: { number: 1, state: 'succeeded' } }
    expect(result).toMatchObject(expected)
  }
  const attempts = await prisma.attempt.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    select: { deliveryId: true },
  })
  expect(attempts.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
    deliveries.filter((_, n) => !bad(n)).map(({ id }) => id),
  )
})

import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import type { Delivery } from '../../../src/db/generated/prisma/client.ts'
import {
  createRecordAttempt,
  type RecordAttempt,
} from '../../../src/deliveries/attempts/record-attempt.ts'
import { cancelDeliveries } from '../../../src/deliveries/cancel-deliveries.ts'
import { redeliver } from '../../../src/deliveries/delivery.ts'
import { createCatalogue } from '../../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../../src/events/publish-events.ts'
import { attemptOf } from '../../support/attempts.ts'
import { createTenant, JOINED, subscribe } from '../../support/factories.ts'
import { useFreshDatabase } from '../../support/fresh-database.ts'
import { claimJobs, deliveryJobs } from '../../support/jobs.ts'

const MINUTE_MS = 60_000

let organizationId: string
let record: RecordAttempt

const database = useFreshDatabase()
beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
  await subscribe(database, organizationId, [JOINED])
  record = createRecordAttempt(database.pipeline)
})

describe('attempts recorded together', () => {
  test('are all recorded, also two of one delivery, whose success stays', async () => {
    const [first, second] = await publish(2)
    if (!first || !second) throw new Error('There are two deliveries.')
    const recorded = await Promise.all([
      record(attemptOf(first, 200)),
      record(attemptOf(first, 500)),
      record(attemptOf(second, 200)),
    ])
    expect(recorded.map((one) => one !== null)).toEqual([true, true, true])
    expect(recorded.slice(0, 2).map((one) => one?.number)).toEqual(expect.arrayContaining([1, 2]))
    const deliveries = await database.prisma.delivery.findMany({ include: { attempts: true } })
    expect(
      deliveries.map(({ id, state, attempts }) => [id, state, attempts.length]).sort(),
    ).toEqual(
      [
        [first.id, 'succeeded', 2],
        [second.id, 'succeeded', 1],
      ].sort(),
    )
  })

  test('are recorded with their own fields, and each caller gets its own result', async () => {
    // In reverse order of their deliveries, with different fields.
    const own = (await publish(4)).toReversed().map((delivery, n) =>
      attemptOf(delivery, 500 + n, {
        durationMs: n,
        requestUrl: `https://example.com/${n}`,
        requestHeaderNames: Array.from({ length: n }, (_, i) => `X-${n}-${i}`),
        responseHeaders: n === 2 ? null : { 'x-own': `a "quote" and \\ more: ${n}` },
        ...(n % 2 && { next: { kind: 'retry', delayMs: MINUTE_MS } as const }),
      }),
    )
    const results = await Promise.all(own.map(record))
    const attempts = await database.prisma.attempt.findMany({ orderBy: { deliveryId: 'desc' } })
    expect(attempts).toMatchObject(
      own.map(({ status, durationMs, requestUrl, requestHeaderNames, responseHeaders }, n) => ({
        ...{ id: results[n]?.attemptId, status, durationMs, requestUrl },
        ...{ requestHeaderNames, responseHeaders },
      })),
    )
    expect(results.map((result) => result?.state)).toEqual(
      own.map(({ next }) => (next.kind === 'retry' ? 'pending' : next.kind)),
    )
  })

  test('fail alone if Postgres rejects one, and the others are recorded once', async () => {
    const deliveries = await publish(30)
    const isBad = (n: number) => n % 10 === 4
    const results = await Promise.allSettled(
      deliveries.map((delivery, n) =>
        // A success with the status 500 violates a constraint.
        record(attemptOf(delivery, isBad(n) ? 500 : 200, { succeeded: true })),
      ),
    )
    for (const [n, result] of results.entries()) {
      const expected = isBad(n)
        ? { status: 'rejected', reason: { constraint: 'succeeded_means_2xx' } }
        : { status: 'fulfilled', value: { number: 1, state: 'succeeded' } }
      expect(result).toMatchObject(expected)
    }
    const attempts = await database.prisma.attempt.findMany({ select: { deliveryId: true } })
    expect(attempts.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
      deliveries.filter((_, n) => !isBad(n)).map(({ id }) => id),
    )
  })
})

describe('a delivery that changes during its attempt', () => {
  const retry = { next: { kind: 'retry', delayMs: MINUTE_MS }, retriesLeft: 3 } as const

  test.each([
    ['failed', 503, retry],
    ['succeeded', 200, {}],
  ])(
    'is attempted again after a requested redelivery, even if the attempt %s',
    async (_case, status, fields) => {
      const [delivery] = (await publish(1)) as [Delivery]
      await using worker = await claimJobs(database, 1)
      await requestRedelivery(delivery)
      expect(await deliveryJobs(database.pool)).toHaveLength(1)
      await record(attemptOf(delivery, status, fields))
      await worker.complete()
      expect(await reload(delivery)).toMatchObject({
        state: 'pending',
        attemptCount: 1,
        schedulePosition: 0,
        redeliveryRequested: false,
        hasPriority: true,
      })
      const jobs = await deliveryJobs(database.pool)
      // A full schedule: three retries after the next attempt.
      expect(jobs).toMatchObject([{ attempts: 1, maxAttempts: 5, lockedBy: null }])
      expect(Number(jobs[0]?.runAt)).toBeLessThanOrEqual(Date.now() + 1_000)
    },
  )

  test('is parked after a requested redelivery if its webhook is ordered', async () => {
    const [delivery] = (await publish(1)) as [Delivery]
    await using worker = await claimJobs(database, 1)
    await requestRedelivery(delivery)
    await record(attemptOf(delivery, 503, { ...retry, ordered: true }))
    await worker.complete()
    expect(await reload(delivery)).toMatchObject({
      state: 'pending',
      parkedReason: 'ordered',
      hasPriority: true,
    })
    expect(await deliveryJobs(database.pool)).toEqual([])
  })

  test('keeps the next attempt that another worker has scheduled', async () => {
    const [delivery] = (await publish(1)) as [Delivery]
    await record(attemptOf(delivery, 503, { ...retry, retriesLeft: 9 }))
    const before = await deliveryJobs(database.pool)
    const late = await record(
      attemptOf(delivery, 500, { next: { kind: 'exhausted' }, retriesLeft: 0 }),
    )
    expect(late).toMatchObject({ number: 2, state: 'pending' })
    expect(await deliveryJobs(database.pool)).toEqual(before)
    expect(await reload(delivery)).toMatchObject({
      attemptCount: 2,
      schedulePosition: 1,
      nextAttemptAt: before[0]?.runAt,
    })
  })

  test('stays canceled, and its attempt is recorded', async () => {
    const [delivery] = (await publish(1)) as [Delivery]
    await using worker = await claimJobs(database, 1)
    await cancelDeliveries(database.pool, [delivery.id], null)
    expect(await record(attemptOf(delivery, 503, retry))).toMatchObject({
      number: 1,
      state: 'canceled',
      nextAttemptAt: null,
    })
    await worker.complete()
    expect(await deliveryJobs(database.pool)).toEqual([])
  })

  test('to being deleted gives null', async () => {
    const [delivery] = (await publish(1)) as [Delivery]
    await database.pool.query('delete from posthorn.deliveries')
    expect(await record(attemptOf(delivery, 200))).toBeNull()
  })
})

/** Publishes events, and returns their deliveries in the order of publication. */
async function publish(count: number): Promise<Delivery[]> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await createPublishEvents(database.pool, createCatalogue(database.pool))(organizationId, events)
  return await database.prisma.delivery.findMany({ orderBy: { id: 'asc' } })
}

async function requestRedelivery({ id }: Delivery): Promise<void> {
  await redeliver({ sql: database.pool, actor: SYSTEM }, [id])
}

async function reload(delivery: Delivery | undefined): Promise<Delivery> {
  return await database.prisma.delivery.findUniqueOrThrow({ where: { id: delivery?.id as string } })
}

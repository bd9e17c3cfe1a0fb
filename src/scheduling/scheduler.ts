import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { retryWhileUnavailable } from '../db/faults.ts'
import type { Notify } from '../streams/live/notify.ts'
import { endHold, type HoldReason } from '../webhooks/end-hold.ts'
import type { SendOptions } from '../webhooks/send-options.ts'
import { createPark, type ParkedReason } from './backlog.ts'
import { createBacklogReleaser } from './backlog-releaser.ts'
import { type Failures, putOnHold, shouldPutOnHold } from './circuit-breaker.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import type { AttemptResult } from './limited-webhook.ts'
import { createHoldForRetryAfter } from './retry-after-hold.ts'

/** The permission to send one attempt. */
export interface Permit {
  /** Call it when the attempt has ended. `result` is `null` if nothing was sent. */
  release(result: AttemptResult | null): void
}

/** The result of a recorded attempt. */
export interface RecordedResult extends Failures {
  readonly succeeded: boolean
  /** Whether the delivery needs no further attempt. */
  readonly finished: boolean
}

export type Scheduler = ReturnType<typeof createScheduler>

export interface SchedulerOptions {
  /** Maximum attempts in flight in this process. */
  readonly concurrency: number
  readonly notify: Notify
  readonly onError: (error: unknown) => void
}

const TICK_MS = 100
const RELEASE_EVERY_MS = 500

/** An older reservation was missed, for example by a killed process. The delivery gets a new one. */
const RESERVATION_EXPIRES_AFTER_MS = 1_000

/** Decides when each delivery is sent. */
export function createScheduler(sql: Sql, { concurrency, notify, onError }: SchedulerOptions) {
  const park = createPark(sql)
  const limiter = new ConcurrencyLimiter({
    capacity: concurrency,
    onFreeCapacity: (webhookId) => void backlogs.release(webhookId).catch(onError),
  })
  const backlogs = createBacklogReleaser(sql, limiter, notify)
  const closed = new AbortController()
  const { signal: stopping } = closed
  const holdForRetryAfter = createHoldForRetryAfter(sql)

  let limitsStoredAt = performance.now()
  async function storeLimitsIfDue(): Promise<void> {
    if (performance.now() - limitsStoredAt < STORE_LIMITS_EVERY_MS) return
    limitsStoredAt = performance.now()
    await storeLimits(sql, limiter.limits())
  }

  const ticking = setInterval(() => limiter.tick(), TICK_MS)
  let release: Promise<void> | null = null
  const releasing = setInterval(() => {
    release ??= backlogs
      .releaseAll()
      .then(storeLimitsIfDue)
      .catch(onError)
      .finally(() => {
        release = null
      })
  }, RELEASE_EVERY_MS)
  ticking.unref()
  releasing.unref()

  async function parkUnlessAborted(signal: AbortSignal, id: string, reason: ParkedReason) {
    if (stopping.aborted || signal.aborted) return 'aborted' as const
    await park({ id, reason })
    return 'parked' as const
  }

  return {
    /** Attempts in flight. */
    get inFlight() {
      return limiter.inFlight
    },

    /** Deliveries that wait for a permit. */
    get waiting() {
      return limiter.waiting
    },

    /** Returns `parked` if it moved the delivery to the backlog, and `aborted` after an abort of `signal` or after `close`. */
    async acquire(
      delivery: ScheduledDelivery,
      options: SendOptions,
      signal: AbortSignal,
    ): Promise<Permit | 'parked' | 'aborted'> {
      const { id, webhookId, organizationId, isTest, isProbe, reservedInMs } = delivery
      backlogs.countArrival(webhookId)
      const reason = reasonToPark(delivery, options)
      if (reason !== null) return await parkUnlessAborted(signal, id, reason)
      if (stopping.aborted || signal.aborted) return 'aborted'

      const candidate = { webhookId, organizationId, maxInFlight: options.maxInFlight }
      if (options.rateLimitPerSecond !== null && !isTest && !isProbe) {
        // Only a release from the backlog reserves a time.
        const isReserved = reservedInMs !== null && reservedInMs > -RESERVATION_EXPIRES_AFTER_MS
        if (!isReserved) {
          const result = await parkUnlessAborted(signal, id, 'rate_limit')
          if (result === 'parked') void backlogs.release(webhookId).catch(onError)
          return result
        }
        // A timer may fire early, by at most a millisecond.
        if (reservedInMs > 0) await sleep(Math.ceil(reservedInMs) + 1)
      }
      const acquired = limiter.acquire(candidate)
      if ((typeof acquired === 'string' ? acquired : await acquired) === 'rejected') {
        return await parkUnlessAborted(signal, id, 'concurrency_limit')
      }
      return { release: (result) => limiter.release(candidate, result) }
    },

    /** Puts the webhook on hold for `waitMs`, because its endpoint asked for that. Call it before releasing the permit. */
    async hold(delivery: ScheduledDelivery, waitMs: number): Promise<void> {
      const { webhookId, organizationId, revision } = delivery
      const until = performance.now() + waitMs
      limiter.rejectWaiting(webhookId)
      const store = async () => {
        const leftMs = until - performance.now()
        return leftMs > 0 && (await holdForRetryAfter({ webhookId, revision, waitMs: leftMs }))
      }
      const isNew = await retryWhileUnavailable(store, { signal: stopping }).catch(onError)
      if (isNew) notify(organizationId)
    },

    /** After an attempt: puts the webhook on hold or ends its hold, and releases its backlog. */
    async handleResult(
      { webhookId, organizationId, holdReason }: ScheduledDelivery,
      { ordered }: SendOptions,
      result: RecordedResult,
    ): Promise<void> {
      const { succeeded, finished } = result
      const mayRecover = succeeded && holdReason !== null
      const mayFail = !succeeded && holdReason !== 'failing' && shouldPutOnHold(result)
      if (!mayRecover && !mayFail && !(ordered && finished)) return
      await retryWhileUnavailable(async () => {
        if (mayFail && (await putOnHold(sql, webhookId))) {
          limiter.rejectWaiting(webhookId)
          notify(organizationId)
        }
        const hasRecovered = mayRecover && (await endHold(sql, webhookId))
        if (hasRecovered) notify(organizationId)
        if (hasRecovered || (ordered && finished)) await backlogs.release(webhookId)
      })
    },

    /** Releases from the backlog of a webhook, up to the free capacity. */
    release: (webhookId: string) => backlogs.release(webhookId),

    /** Stops giving permits, for the shutdown of the process. */
    close() {
      closed.abort()
      limiter.close()
    },

    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(ticking)
      clearInterval(releasing)
      closed.abort()
      limiter.close()
      await release
    },
  }
}

/** A delivery whose job runs, and its place in its webhook's schedule. */
export interface ScheduledDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly isTest: boolean
  /** The revision of the webhook. */
  readonly revision: string
  /** Null if the webhook is not on hold. */
  readonly holdReason: HoldReason | null
  /** Whether this delivery tests the webhook while the webhook is on hold. */
  readonly isProbe: boolean
  /** Whether this delivery is the head of the backlog of an ordered webhook. */
  readonly isHead: boolean
  /** Milliseconds from now until the delivery's rate-limit reservation. */
  readonly reservedInMs: number | null
}

/**
 * Null if the delivery may be sent now. Test deliveries and probes test the endpoint, so they are sent regardless of a hold
 * or of the order.
 */
export function reasonToPark(
  delivery: ScheduledDelivery,
  options: SendOptions,
): ParkedReason | null {
  if (delivery.webhook !== 'enabled') return 'disabled'
  if (delivery.isTest || delivery.isProbe) return null
  if (delivery.holdReason !== null) return 'on_hold'
  return options.ordered && !delivery.isHead ? 'ordered' : null
}

/** Each process stores its limits this often. */
const STORE_LIMITS_EVERY_MS = 5_000

/**
 * Stores limits that differ from the stored ones by a tenth or more, for the health of the webhooks in the API: of a fixed
 * limit null. In the order of the ids, so that processes cannot deadlock.
 */
async function storeLimits(sql: Sql, limits: Iterable<readonly [string, number | null]>) {
  const given = [...limits]
  if (given.length === 0) return
  await sql.query({
    name: 'store_limits',
    text: `
      insert into posthorn.webhook_schedules as s (webhook_id, concurrency_limit)
      select w.id, given.max from unnest($1::uuid[], $2::int[]) as given (id, max)
      join posthorn.webhooks as w on w.id = given.id and w.deleted_at is null
      left join posthorn.webhook_schedules as s on s.webhook_id = w.id
      where s.concurrency_limit is distinct from given.max
        and abs(s.concurrency_limit - given.max) < s.concurrency_limit / 10.0 is not true
      order by w.id
      on conflict (webhook_id) do update set concurrency_limit = excluded.concurrency_limit`,
    values: [given.map(([webhookId]) => webhookId), given.map(([, limit]) => limit)],
  })
}

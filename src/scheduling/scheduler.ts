import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { retryWhileUnavailable } from '../db/retry-while-unavailable.ts'
import type { Notify } from '../live/notify.ts'
import type { SendOptions } from '../webhooks/send-options.ts'
import type { AttemptResult } from './adaptive-limit.ts'
import { createPark, type ParkedReason } from './backlog.ts'
import { createBacklogReleaser } from './backlog-releaser.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import type { Candidate } from './limited-webhook.ts'
import { createReserve } from './rate-limit.ts'
import { createLimitReporter } from './report-limits.ts'
import { reasonToPark, type ScheduledDelivery } from './scheduled-delivery.ts'
import { type RecordedResult, WebhookHolds } from './webhook-holds.ts'

/** The permission to send one attempt. */
export interface Permit {
  /** The time that acquiring took, in which the webhook may have changed. */
  readonly waitedMs: number
  /** Resolves at the time that the rate limit reserved; `null` without a rate limit. */
  readonly reservation: Promise<void> | null
  /** Whether an attempt that waits for its connection may go on. With `false`, the permit is released. */
  mayGoOn(): boolean
  /** Call it when the attempt has ended. `result` is `null` if nothing was sent. */
  release(result: AttemptResult | null): void
}

export type Scheduler = ReturnType<typeof createScheduler>

export interface SchedulerOptions {
  /** Maximum attempts in flight in this process. */
  readonly concurrency: number
  readonly notify: Notify
  readonly onError: (error: unknown) => void
  readonly now: () => Date
}

const TICK_MS = 100
const RELEASE_EVERY_MS = 500

/** How long before its reserved time a delivery acquires its permit from the limiter. */
const LEAD_MS = 20

/** An older reservation was missed, for example by a killed process. The delivery gets a new one. */
const RESERVATION_EXPIRES_AFTER_MS = 1_000

/** Decides when each delivery is sent. */
export function createScheduler(sql: Sql, { concurrency, notify, onError, now }: SchedulerOptions) {
  const park = createPark(sql)
  const reserve = createReserve(sql)
  const limiter = new ConcurrencyLimiter({
    capacity: concurrency,
    onFreeCapacity: (webhookId) => void backlogs.release(webhookId).catch(onError),
  })
  /** How far the clock of a test is ahead. */
  const aheadMs = () => now().getTime() - Date.now()
  const backlogs = createBacklogReleaser(sql, limiter, aheadMs, notify)
  const reportLimits = createLimitReporter(sql, limiter)
  const closed = new AbortController()
  const { signal: stopping } = closed
  const holds = new WebhookHolds(sql, { limiter, backlogs, notify, onError, aheadMs, stopping })
  const watched = new WeakSet<AbortSignal>()

  /** All jobs of a runner share a signal, which needs only one listener. */
  function rejectWaitingOnAbort(signal: AbortSignal): void {
    if (watched.has(signal)) return
    watched.add(signal)
    signal.addEventListener('abort', () => limiter.rejectAllWaiting())
  }

  const ticking = setInterval(() => limiter.tick(), TICK_MS)
  let release: Promise<void> | null = null
  const releasing = setInterval(() => {
    holds.forgetOld()
    release ??= backlogs
      .releaseAll()
      .then(reportLimits)
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

  /** Waits until `LEAD_MS` before the reserved time, and returns that time; `null` if there is none within a second. */
  async function waitForReservation(
    delivery: ScheduledDelivery,
    candidate: Candidate,
    ratePerSecond: number,
  ): Promise<number | null> {
    const { webhookId, hasBacklog, reservedInMs } = delivery
    // A delivery with an expired reservation was released from the backlog, so it gets a new one before parked deliveries.
    if (hasBacklog && reservedInMs === null) return null
    if (!limiter.addExpected(candidate)) return null
    try {
      const isValid = reservedInMs !== null && reservedInMs > -RESERVATION_EXPIRES_AFTER_MS
      const inMs = isValid ? reservedInMs : await reserve({ webhookId, ratePerSecond })
      if (inMs === null) return null
      const reservedAt = performance.now() + inMs
      if (inMs > LEAD_MS) await sleep(inMs - LEAD_MS)
      return reservedAt
    } finally {
      limiter.removeExpected(candidate)
    }
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
      const { id, webhookId, organizationId, isTest, isProbe } = delivery
      rejectWaitingOnAbort(signal)
      backlogs.countArrival(webhookId)
      const reason =
        reasonToPark(delivery, options) ?? (holds.beganAfterLoading(delivery) ? 'on_hold' : null)
      if (reason !== null) return await parkUnlessAborted(signal, id, reason)
      if (stopping.aborted || signal.aborted) return 'aborted'

      const startedAt = performance.now()
      const candidate = { webhookId, organizationId, maxInFlight: options.maxInFlight }
      let reservedAt: number | null = null
      if (options.rateLimitPerSecond !== null && !isTest && !isProbe) {
        reservedAt = await waitForReservation(delivery, candidate, options.rateLimitPerSecond)
        if (reservedAt === null) return await parkUnlessAborted(signal, id, 'rate_limit')
        if (holds.beganAfterLoading(delivery)) return await parkUnlessAborted(signal, id, 'on_hold')
      }
      const acquired = limiter.acquire(candidate)
      const isAtOnce = typeof acquired === 'string'
      if ((isAtOnce ? acquired : await acquired) === 'rejected') {
        const isOnHold = holds.beganAfterLoading(delivery)
        return await parkUnlessAborted(signal, id, isOnHold ? 'on_hold' : 'concurrency_limit')
      }
      let isReleased = false
      return {
        waitedMs: isAtOnce && reservedAt === null ? 0 : performance.now() - startedAt,
        reservation: reservedAt === null ? null : sleepUntil(reservedAt),
        mayGoOn() {
          isReleased ||= !limiter.mayGoOn(candidate)
          return !isReleased
        },
        release(result) {
          if (!isReleased) limiter.release(candidate, result)
          isReleased = true
        },
      }
    },

    /**
     * Puts the webhook on hold for `waitMs`, because its endpoint asked for that. Call it before the release of the permit:
     * from then on, this process sends nothing else to the webhook.
     */
    hold: (delivery: ScheduledDelivery, waitMs: number) => holds.waitAsAsked(delivery, waitMs),

    /** After an attempt: puts the webhook on hold or ends its hold, and releases its backlog. */
    async handleResult(
      delivery: ScheduledDelivery,
      { ordered }: SendOptions,
      result: RecordedResult,
    ): Promise<void> {
      if (result.succeeded && delivery.holdReason === null && !ordered) return
      await retryWhileUnavailable(async () => {
        await holds.handleResult(delivery, result)
        if (ordered && result.finished) await backlogs.release(delivery.webhookId)
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
      await Promise.all([release, holds.stored()])
    },
  }
}

/** A timer may fire early, by at most a millisecond. */
async function sleepUntil(at: number): Promise<void> {
  const inMs = at - performance.now()
  if (inMs > 0) await sleep(Math.ceil(inMs))
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { retryWhileUnavailable } from '../db/retry-while-unavailable.ts'
import type { Notify } from '../live/notify.ts'
import { endHold } from '../webhooks/end-hold.ts'
import type { SendOptions } from '../webhooks/send-options.ts'
import type { AttemptResult } from './adaptive-limit.ts'
import { createPark, type ParkedReason } from './backlog.ts'
import { createBacklogReleaser } from './backlog-releaser.ts'
import { type Failures, holdWebhook, shouldHold } from './circuit-breaker.ts'
import { type Candidate, ConcurrencyLimiter } from './concurrency-limiter.ts'
import { createReserve } from './rate-limit.ts'
import { createLimitReporter } from './report-limits.ts'

/** A delivery whose job runs, and what its webhook's schedule says of it. */
export interface ScheduledDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly isTest: boolean
  readonly hasBacklog: boolean
  readonly onHold: boolean
  readonly isProbe: boolean
  readonly isHead: boolean
  readonly reservedInMs: number | null
}

/** Leave to send one attempt. */
export interface Permit {
  /** How long it took to get, in which the webhook may have changed. */
  readonly waitedMs: number
  /** Resolves at the moment that the rate limit reserved; `null` where there is no rate limit. */
  readonly reservation: Promise<void> | null
  /** To be called when the attempt has ended; `null` where nothing was sent. */
  release(result: AttemptResult | null): void
}

/** What came of an attempt, once it is on record. */
export interface RecordedResult extends Failures {
  readonly succeeded: boolean
  /** Whether no further attempt follows. */
  readonly finished: boolean
}

/** Decides when each delivery goes out. */
export interface Scheduler extends AsyncDisposable {
  /** A permit, mostly at once; `parked` where the delivery waits in the backlog now; `aborted` as `signal` is. */
  acquire(
    delivery: ScheduledDelivery,
    options: SendOptions,
    signal: AbortSignal,
  ): Promise<Permit | 'parked' | 'aborted'>
  /** Moves on the other deliveries of the webhook after an attempt. */
  attempted(
    delivery: ScheduledDelivery,
    options: SendOptions,
    result: RecordedResult,
  ): Promise<void>
  /** Releases from the backlog of a webhook, as far as there is room. */
  release(webhookId: string): Promise<void>
  /** Gives no more permits, as the process shuts down. */
  close(): void
}

export interface SchedulerOptions {
  /** Attempts in flight in this process. */
  readonly concurrency: number
  readonly notify: Notify
  readonly onError: (error: unknown) => void
  readonly now: () => Date
}

const TICK_MS = 100
const LOOK_EVERY_MS = 500

/** A delivery goes through the limiter so long before its reserved moment. */
const LEAD_MS = 20

/** A reservation that is older was lost, as with a process that was killed; another one is made. */
const RESERVATION_EXPIRES_AFTER_MS = 1_000

export function createScheduler(
  sql: Sql,
  { concurrency, notify, onError, now }: SchedulerOptions,
): Scheduler {
  const park = createPark(sql)
  const reserve = createReserve(sql)
  const limiter = new ConcurrencyLimiter({
    capacity: concurrency,
    onRoom: (webhookId) => void backlogs.release(webhookId).catch(onError),
  })
  const backlogs = createBacklogReleaser(sql, limiter, now)
  const reportLimits = createLimitReporter(sql, limiter)
  let isClosed = false
  const watched = new WeakSet<AbortSignal>()

  /** All jobs of a runner share a signal. */
  function rejectWaitingOn(signal: AbortSignal): void {
    if (watched.has(signal)) return
    watched.add(signal)
    signal.addEventListener('abort', () => limiter.rejectAllWaiting())
  }

  const ticking = setInterval(() => limiter.tick(), TICK_MS)
  let looking: Promise<void> | null = null
  const look = setInterval(() => {
    looking ??= backlogs
      .look()
      .then(reportLimits)
      .catch(onError)
      .finally(() => {
        looking = null
      })
  }, LOOK_EVERY_MS)
  // They keep no process alive.
  ticking.unref()
  look.unref()

  async function parkUnless(signal: AbortSignal, id: string, reason: ParkedReason) {
    if (isClosed || signal.aborted) return 'aborted' as const
    await park({ id, reason })
    return 'parked' as const
  }

  /** The moment of the reservation, shortly before it; `null` where there is none soon. */
  async function untilShortlyBeforeReservation(
    delivery: ScheduledDelivery,
    candidate: Candidate,
    ratePerSecond: number,
  ): Promise<number | null> {
    const { webhookId, hasBacklog, reservedInMs } = delivery
    // What was released and came too late for its reservation gets another one before the rest of the backlog.
    if (hasBacklog && reservedInMs === null) return null
    if (!limiter.expect(candidate)) return null
    try {
      const isValid = reservedInMs !== null && reservedInMs > -RESERVATION_EXPIRES_AFTER_MS
      const inMs = isValid ? reservedInMs : await reserve({ webhookId, ratePerSecond })
      if (inMs === null) return null
      const at = performance.now() + inMs
      if (inMs > LEAD_MS) await sleep(inMs - LEAD_MS)
      return at
    } finally {
      limiter.expectNoMore(candidate)
    }
  }

  async function hold(webhookId: string, organizationId: string): Promise<void> {
    if (!(await holdWebhook(sql, webhookId, now()))) return
    limiter.rejectWaiting(webhookId)
    notify([{ kind: 'health', organizationId, webhookId, health: 'on_hold' }])
  }

  return {
    async acquire(delivery, options, signal) {
      const { id, webhookId, organizationId, isTest, isProbe } = delivery
      rejectWaitingOn(signal)
      backlogs.arrived(webhookId)
      const reason = reasonToPark(delivery, options)
      if (reason !== null) return await parkUnless(signal, id, reason)
      if (isClosed || signal.aborted) return 'aborted'

      const startedAt = performance.now()
      const candidate = { webhookId, organizationId, maxInFlight: options.maxInFlight }
      let reservedAt: number | null = null
      if (options.ratePerSecond !== null && !isTest && !isProbe) {
        const { ratePerSecond } = options
        reservedAt = await untilShortlyBeforeReservation(delivery, candidate, ratePerSecond)
        if (reservedAt === null) return await parkUnless(signal, id, 'rate_limit')
      }
      const answer = limiter.acquire(candidate)
      // Most permits are free at once: then nothing was waited for.
      const waited = reservedAt !== null || typeof answer !== 'string'
      if ((await answer) === 'rejected') return await parkUnless(signal, id, 'concurrency_limit')
      return {
        waitedMs: waited ? performance.now() - startedAt : 0,
        reservation: reservedAt === null ? null : until(reservedAt),
        release: (result) => limiter.release(candidate, result),
      }
    },

    async attempted({ webhookId, organizationId, onHold }, { ordered }, result) {
      await retryWhileUnavailable(async () => {
        if (result.succeeded && onHold) {
          if (await endHold(sql, webhookId)) await backlogs.release(webhookId)
        } else if (!result.succeeded && !onHold && shouldHold(result, now())) {
          await hold(webhookId, organizationId)
        }
        if (ordered && result.finished) await backlogs.release(webhookId)
      })
    },

    release: (webhookId) => backlogs.release(webhookId),

    close() {
      isClosed = true
      limiter.close()
    },

    async [Symbol.asyncDispose]() {
      clearInterval(ticking)
      clearInterval(look)
      limiter.close()
      await looking
    },
  }
}

/** Timers are early at times, and never by more than a millisecond. */
async function until(at: number): Promise<void> {
  const inMs = at - performance.now()
  if (inMs > 0) await sleep(Math.ceil(inMs))
}

/** A test delivery and a probe are sent to find out how things are. */
function reasonToPark(delivery: ScheduledDelivery, options: SendOptions): ParkedReason | null {
  if (delivery.webhook !== 'enabled') return 'disabled'
  if (delivery.isTest || delivery.isProbe) return null
  if (delivery.onHold) return 'on_hold'
  return options.ordered && !delivery.isHead ? 'ordered' : null
}

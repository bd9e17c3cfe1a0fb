import type { Sql } from '../db/client.ts'
import { retryWhileUnavailable } from '../db/retry-while-unavailable.ts'
import type { Notify } from '../live/notify.ts'
import { endHold } from '../webhooks/end-hold.ts'
import type { BacklogReleaser } from './backlog-releaser.ts'
import { endProbe, type Failures, putOnHold, shouldPutOnHold } from './circuit-breaker.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { createHoldForRetryAfter, endWait, type HoldForRetryAfter } from './retry-after-hold.ts'
import type { ScheduledDelivery } from './scheduled-delivery.ts'

/** The result of a recorded attempt. */
export interface RecordedResult extends Failures {
  readonly succeeded: boolean
  /** Whether the endpoint answered something else than that it is overloaded. */
  readonly isReady: boolean
  /** Whether the delivery needs no further attempt. */
  readonly finished: boolean
}

export interface WebhookHoldsOptions {
  readonly limiter: ConcurrencyLimiter
  readonly backlogs: BacklogReleaser
  readonly notify: Notify
  readonly onError: (error: unknown) => void
  /** How far the clock of a test is ahead. */
  readonly aheadMs: () => number
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal
}

/** By then, the deliveries that were loaded before a hold have acquired a permit or were parked. */
const FORGET_AFTER_MS = 60_000

/** Puts webhooks on hold by the results of their attempts, and ends their holds. */
export class WebhookHolds {
  readonly #sql: Sql
  readonly #options: WebhookHoldsOptions
  readonly #holdForRetryAfter: HoldForRetryAfter
  /**
   * When the recent holds of this process were stored, by webhook; infinity until then. A delivery that was loaded before
   * does not know of the hold.
   */
  readonly #storedAt = new Map<string, number>()
  readonly #storing = new Set<Promise<void>>()

  constructor(sql: Sql, options: WebhookHoldsOptions) {
    this.#sql = sql
    this.#options = options
    this.#holdForRetryAfter = createHoldForRetryAfter(sql, options.aheadMs)
  }

  /** Whether this process put the webhook on hold after it loaded the delivery, which must wait. */
  beganAfterLoading({ webhookId, loadedAt, isTest, isProbe }: ScheduledDelivery): boolean {
    return !isTest && !isProbe && loadedAt < (this.#storedAt.get(webhookId) ?? 0)
  }

  /** Puts the webhook on hold for `waitMs`: at once in this process, and soon in Postgres. */
  waitAsAsked(delivery: ScheduledDelivery, waitMs: number): void {
    this.#storedAt.set(delivery.webhookId, Number.POSITIVE_INFINITY)
    this.#options.limiter.rejectWaiting(delivery.webhookId)
    const stored = this.#store(delivery, waitMs)
      .catch(this.#options.onError)
      .finally(() => this.#storing.delete(stored))
    this.#storing.add(stored)
  }

  async #store(delivery: ScheduledDelivery, waitMs: number): Promise<void> {
    const { webhookId, organizationId } = delivery
    const startedAt = performance.now()
    try {
      const isNew = await retryWhileUnavailable(
        async () => {
          const leftMs = waitMs - (performance.now() - startedAt)
          return leftMs > 0 && (await this.#holdForRetryAfter({ ...delivery, waitMs: leftMs }))
        },
        { signal: this.#options.stopping },
      )
      if (isNew) this.#options.notify(organizationId)
    } finally {
      this.#storedAt.set(webhookId, performance.now())
    }
  }

  async handleResult(delivery: ScheduledDelivery, result: RecordedResult): Promise<void> {
    if (result.succeeded) await this.#handleSuccess(delivery)
    else await this.#handleFailure(delivery, result)
  }

  async #handleSuccess({ webhookId, organizationId, holdReason }: ScheduledDelivery) {
    if (holdReason === null || !(await endHold(this.#sql, webhookId))) return
    const { notify, backlogs } = this.#options
    notify(organizationId)
    await backlogs.release(webhookId)
  }

  async #handleFailure(delivery: ScheduledDelivery, result: RecordedResult): Promise<void> {
    const { webhookId, organizationId, holdReason, isProbe } = delivery
    if (holdReason === 'failing') return
    const { aheadMs, backlogs, limiter, notify } = this.#options
    const isResumed = isProbe && (await this.#handleFailedProbe(delivery, result))
    const opens =
      shouldPutOnHold(result, aheadMs()) && (await putOnHold(this.#sql, webhookId, aheadMs()))
    if (opens) {
      this.#storedAt.set(webhookId, performance.now())
      limiter.rejectWaiting(webhookId)
      notify(organizationId)
    } else if (isResumed) await backlogs.release(webhookId)
  }

  /** The webhook is on hold because its endpoint asked to wait. Returns whether the hold ended. */
  async #handleFailedProbe(
    { id, webhookId, organizationId }: ScheduledDelivery,
    { isReady }: RecordedResult,
  ): Promise<boolean> {
    if (!isReady || !(await endWait(this.#sql, webhookId))) {
      await endProbe(this.#sql, webhookId, id)
      return false
    }
    this.#options.notify(organizationId)
    return true
  }

  forgetOld(): void {
    const before = performance.now() - FORGET_AFTER_MS
    for (const [webhookId, at] of this.#storedAt) if (at < before) this.#storedAt.delete(webhookId)
  }

  /** Resolves once Postgres has the holds that were asked for, or the process stops. */
  async stored(): Promise<void> {
    await Promise.all(this.#storing)
  }
}

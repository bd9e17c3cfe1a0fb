import { type AttemptResult, INITIAL_LIMIT } from './adaptive-limit.ts'
import {
  type AcquireResult,
  type Candidate,
  type LimitedOrganization,
  LimitedWebhook,
} from './limited-webhook.ts'
import { SharedCapacity } from './shared-capacity.ts'

export interface ConcurrencyLimiterOptions {
  /** Maximum attempts in flight in this process. */
  readonly capacity: number
  /** Called when a webhook with a backlog has free capacity again. */
  readonly onFreeCapacity: (webhookId: string) => void
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Limits the attempts in flight per process, organization and webhook. Each organization leaves some of the capacity free
 * for others, and each webhook with an adaptive limit does so for the other webhooks of its organization.
 *
 * Waiting is bounded: candidates of a stalled webhook are rejected and then parked, so that one slow endpoint cannot
 * occupy the limiter.
 */
export class ConcurrencyLimiter {
  readonly #onFreeCapacity: (webhookId: string) => void
  readonly #now: () => number
  readonly #capacity: SharedCapacity
  readonly #webhooks = new Map<string, LimitedWebhook>()
  readonly #organizations = new Map<string, LimitedOrganization>()
  #backlogged: ReadonlySet<string> = new Set()
  #isOpen = true

  constructor({ capacity, onFreeCapacity, now }: ConcurrencyLimiterOptions) {
    this.#capacity = new SharedCapacity(capacity)
    this.#onFreeCapacity = onFreeCapacity
    this.#now = now ?? (() => performance.now())
  }

  get inFlight(): number {
    return this.#capacity.inFlight
  }

  get waiting(): number {
    return this.#capacity.waiting
  }

  /** Acquires a permit, which must be released. Returns without a promise if the candidate does not have to wait. */
  acquire(candidate: Candidate): Promise<AcquireResult> | AcquireResult {
    if (!this.#isOpen) return 'rejected'
    const webhook = this.#webhookOf(candidate)
    if (webhook.hasBacklog && webhook.total >= 2 * this.#capacity.targetOf(webhook)) {
      return 'rejected'
    }
    const canStart = this.#capacity.canStart(webhook)
    if (canStart && webhook.waiting.length === 0) {
      this.#capacity.start(webhook, candidate)
      return 'acquired'
    }
    if (this.#mustPark(webhook)) {
      webhook.hasBacklog = true
      return 'rejected'
    }
    // Rejected here rather than at the next tick, so that thousands of such candidates do not delay others.
    const { organization } = webhook
    if (organization.hasStalled && this.#capacity.hasTooManyWaiting(organization)) {
      webhook.hasBacklog = true
      return 'rejected'
    }
    const { promise, resolve } = Promise.withResolvers<AcquireResult>()
    this.#capacity.wait(webhook, { candidate, since: this.#now(), resolve })
    // This candidate may have raised the limit, so that earlier ones can start as well.
    if (canStart) this.#capacity.startReady()
    return promise
  }

  /**
   * Call it while an attempt waits for its connection for longer than usual. With `false`, the permit is released: end the
   * attempt, which has sent nothing.
   */
  mayGoOn(candidate: Candidate): boolean {
    const webhook = this.#webhooks.get(candidate.webhookId) as LimitedWebhook
    if (this.#capacity.mayGoOn(webhook, candidate)) return true
    this.#capacity.end(webhook, candidate)
    return false
  }

  /** `result` is `null` if nothing was sent. */
  release(candidate: Candidate, result: AttemptResult | null): void {
    const { webhookId } = candidate
    const webhook = this.#webhooks.get(webhookId) as LimitedWebhook
    if (result && result.kind !== 'unreachable') this.#capacity.markResponsive(webhook)
    if (result && webhook.fixedLimit === null) {
      const { inFlight, waiting } = webhook
      const usage = {
        inFlight,
        hasWaiting: waiting.length > 0,
        max: this.#capacity.maxLimitOf(webhook),
      }
      webhook.adaptiveLimit.record(result, usage)
    }
    this.#capacity.end(webhook, candidate)
    if (webhook.hasBacklog && webhook.total <= this.#capacity.targetOf(webhook) / 2) {
      this.#onFreeCapacity(webhookId)
    }
  }

  /** Counts a candidate that waits for its rate-limit reservation. Returns `false` without free capacity for it. */
  addExpected(candidate: Candidate): boolean {
    if (!this.#isOpen) return false
    const webhook = this.#webhookOf(candidate)
    if (webhook.expected >= 2 * this.#capacity.targetOf(webhook)) return false
    if (this.#capacity.hasTooManyWaiting(webhook.organization)) return false
    webhook.expected += 1
    this.#capacity.changeWaiting(webhook.organization, 1)
    return true
  }

  /** Stops counting an expected candidate. */
  removeExpected({ webhookId }: Candidate): void {
    const webhook = this.#webhooks.get(webhookId) as LimitedWebhook
    webhook.expected -= 1
    this.#capacity.changeWaiting(webhook.organization, -1)
  }

  /** How many more deliveries of a webhook the limiter can use now. */
  freeForWebhook(webhookId: string, maxInFlight: number | null): number {
    const webhook = this.#webhooks.get(webhookId)
    if (!webhook) return 2 * (maxInFlight ?? INITIAL_LIMIT)
    const limit = webhook.fixedLimit ?? maxInFlight ?? this.#capacity.limitOf(webhook)
    return Math.max(0, this.#capacity.targetOf(webhook, limit) - webhook.total)
  }

  /** How many more deliveries of an organization the limiter can use now. */
  freeForOrganization(organizationId: string): number {
    return this.#capacity.freeFor(this.#organizations.get(organizationId))
  }

  /** How many more deliveries of unresponsive webhooks of an organization the limiter can use now. */
  freeForUnresponsive(organizationId: string): number {
    const organization = this.#organizations.get(organizationId)
    return this.#capacity.roomForUnconnected(organization ?? { unconnected: 0 })
  }

  isUnresponsive(webhookId: string): boolean {
    return this.#webhooks.get(webhookId)?.isUnresponsive ?? false
  }

  /** `null` if the webhook had no attempt for some minutes. */
  limitOf(webhookId: string): number | null {
    const webhook = this.#webhooks.get(webhookId)
    return webhook ? this.#capacity.limitOf(webhook) : null
  }

  *limits(): Iterable<{ webhookId: string; limit: number; inFlight: number; isAdaptive: boolean }> {
    for (const webhook of this.#webhooks.values()) {
      const { webhookId, inFlight, fixedLimit } = webhook
      const limit = this.#capacity.limitOf(webhook)
      yield { webhookId, limit, inFlight, isAdaptive: fixedLimit === null }
    }
  }

  /** `webhookIds` are all webhooks that have a backlog. */
  setBacklogged(webhookIds: ReadonlySet<string>): void {
    this.#backlogged = webhookIds
    for (const webhook of this.#webhooks.values()) {
      webhook.hasBacklog = webhookIds.has(webhook.webhookId)
    }
  }

  /** Rejects the candidates that wait for a webhook. */
  rejectWaiting(webhookId: string): void {
    const webhook = this.#webhooks.get(webhookId)
    if (webhook) this.#reject(webhook, 0)
  }

  rejectAllWaiting(): void {
    for (const webhook of this.#webhooks.values()) this.#reject(webhook, 0)
  }

  /** Rejects every candidate from now on. */
  close(): void {
    this.#isOpen = false
    this.rejectAllWaiting()
  }

  /** Measures each webhook, and rejects candidates of stalled ones. Call it ten times per second. */
  tick(): void {
    const now = this.#now()
    for (const webhook of this.#webhooks.values()) {
      webhook.measure()
      // As many candidates as the limit keep waiting.
      if (!this.#capacity.isBelowLimit(webhook) && webhook.hasStalled(now)) {
        this.#reject(webhook, this.#capacity.limitOf(webhook))
      }
      if (this.#mustPark(webhook)) this.#reject(webhook, 0)
      // Permits that other webhooks of the organization released may have raised the limit.
      this.#capacity.markReady(webhook)
      if (webhook.canBeEvicted(this.#webhooks.size)) this.#evict(webhook)
    }
    this.#capacity.startReady()
    for (const organization of this.#organizations.values()) {
      this.#capacity.startUnresponsive(organization)
    }
    this.#rejectStalledOrganizations(now)
  }

  /** Many stalled webhooks of one organization, each within its limit, could occupy the limiter. */
  #rejectStalledOrganizations(now: number): void {
    for (const organization of this.#organizations.values()) {
      const stalled = [...organization.webhooks].filter((webhook) => webhook.hasStalled(now))
      organization.hasStalled = stalled.length > 0
      for (const webhook of stalled) {
        if (this.#capacity.hasTooManyWaiting(organization)) this.#reject(webhook, 0)
      }
    }
  }

  /** Without room, deliveries of unresponsive webhooks wait in the backlog, where they take no place of other jobs. */
  #mustPark({ isUnresponsive, organization }: LimitedWebhook): boolean {
    return isUnresponsive && this.#capacity.roomForUnconnected(organization) === 0
  }

  #reject(webhook: LimitedWebhook, keep: number): void {
    if (webhook.waiting.length <= keep) return
    webhook.hasBacklog = true
    this.#capacity.reject(webhook, keep)
  }

  #webhookOf({ webhookId, organizationId, maxInFlight }: Candidate): LimitedWebhook {
    let webhook = this.#webhooks.get(webhookId)
    if (!webhook) {
      webhook = new LimitedWebhook(webhookId, this.#organizationOf(organizationId))
      webhook.hasBacklog = this.#backlogged.has(webhookId)
      webhook.organization.webhooks.add(webhook)
      this.#webhooks.set(webhookId, webhook)
    }
    webhook.fixedLimit = maxInFlight
    return webhook
  }

  #organizationOf(organizationId: string): LimitedOrganization {
    let organization = this.#organizations.get(organizationId)
    if (!organization) {
      const counts = { inFlight: 0, unconnected: 0, waiting: 0, hasStalled: false }
      organization = {
        organizationId,
        webhooks: new Set(),
        ready: new Set(),
        unresponsive: new Set(),
        ...counts,
      }
      this.#organizations.set(organizationId, organization)
    }
    return organization
  }

  #evict(webhook: LimitedWebhook): void {
    const { webhookId, organization } = webhook
    this.#webhooks.delete(webhookId)
    organization.webhooks.delete(webhook)
    if (organization.webhooks.size === 0) this.#organizations.delete(organization.organizationId)
  }
}

import { type AttemptResult, INITIAL_LIMIT } from './adaptive-limit.ts'
import { type Answer, type LimitedOrganization, LimitedWebhook } from './limited-webhook.ts'
import { SharedCapacity } from './shared-capacity.ts'

/** A delivery that could be sent now. */
export interface Candidate {
  readonly webhookId: string
  readonly organizationId: string
  /** Attempts in flight to the webhook; `null` where the limit adapts. */
  readonly maxInFlight: number | null
}

export interface ConcurrencyLimiterOptions {
  /** Attempts in flight in this process. */
  readonly capacity: number
  /** A webhook with a backlog has room for more. */
  readonly onRoom: (webhookId: string) => void
  /** In milliseconds, from any moment on. */
  readonly now?: () => number
}

/**
 * Limits the attempts in flight in a process, in each organization and to each webhook. An organization always leaves
 * some of the capacity free, so that another one finds it, and a webhook with an adaptive limit does so for the others
 * of its organization.
 *
 * Waiting is bounded: candidates of a stalled webhook are rejected, to be parked, so that one slow endpoint cannot
 * occupy the limiter.
 */
export class ConcurrencyLimiter {
  readonly #onRoom: (webhookId: string) => void
  readonly #now: () => number
  readonly #capacity: SharedCapacity
  readonly #webhooks = new Map<string, LimitedWebhook>()
  readonly #organizations = new Map<string, LimitedOrganization>()
  #backlogged: ReadonlySet<string> = new Set()
  #isOpen = true

  constructor({ capacity, onRoom, now }: ConcurrencyLimiterOptions) {
    this.#capacity = new SharedCapacity(capacity)
    this.#onRoom = onRoom
    this.#now = now ?? (() => performance.now())
  }

  get inFlight(): number {
    return this.#capacity.inFlight
  }

  get waiting(): number {
    return this.#capacity.waiting
  }

  /** A candidate that has acquired its permit must release it. */
  acquire(candidate: Candidate): Promise<Answer> | Answer {
    if (!this.#isOpen) return 'rejected'
    const webhook = this.#webhookOf(candidate)
    if (webhook.hasBacklog && webhook.held >= 2 * this.#capacity.targetOf(webhook)) {
      return 'rejected'
    }
    const mayStart = this.#capacity.mayStart(webhook)
    if (mayStart && webhook.waiting.length === 0) {
      this.#capacity.start(webhook)
      return 'acquired'
    }
    // At once, so that thousands that cannot start keep none behind them from coming here.
    const { organization } = webhook
    if (organization.hasStalled && this.#capacity.waitsTooMuch(organization)) {
      webhook.hasBacklog = true
      return 'rejected'
    }
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#capacity.wait(webhook, { since: this.#now(), answer: resolve })
    // A limit that was raised just now counts also for those that came before.
    if (mayStart) this.#capacity.startReady()
    return promise
  }

  /** `result` is `null` where nothing was sent. */
  release({ webhookId }: Candidate, result: AttemptResult | null): void {
    const webhook = this.#webhooks.get(webhookId) as LimitedWebhook
    if (result && webhook.fixedLimit === null) {
      const { inFlight, waiting } = webhook
      const usage = { inFlight, hasWaiting: waiting.length > 0, max: this.#capacity.maxOf(webhook) }
      webhook.adaptiveLimit.record(result, usage)
    }
    this.#capacity.end(webhook)
    if (webhook.hasBacklog && webhook.held <= this.#capacity.targetOf(webhook) / 2) {
      this.#onRoom(webhookId)
    }
  }

  /** Counts a candidate that comes when its rate-limit reservation is due; `false` where there is no room for it. */
  expect(candidate: Candidate): boolean {
    if (!this.#isOpen) return false
    const webhook = this.#webhookOf(candidate)
    if (webhook.expected >= 2 * this.#capacity.targetOf(webhook)) return false
    if (this.#capacity.waitsTooMuch(webhook.organization)) return false
    webhook.expected += 1
    this.#capacity.countWaiting(webhook.organization, 1)
    return true
  }

  /** The expected candidate came, or never will. */
  expectNoMore({ webhookId }: Candidate): void {
    const webhook = this.#webhooks.get(webhookId) as LimitedWebhook
    webhook.expected -= 1
    this.#capacity.countWaiting(webhook.organization, -1)
  }

  /** How many more deliveries of a webhook can be of use now. */
  roomFor(webhookId: string, maxInFlight: number | null): number {
    const webhook = this.#webhooks.get(webhookId)
    if (!webhook) return 2 * (maxInFlight ?? INITIAL_LIMIT)
    const limit = webhook.fixedLimit ?? maxInFlight ?? this.#capacity.limitOf(webhook)
    return Math.max(0, this.#capacity.targetOf(webhook, limit) - webhook.held)
  }

  /** How many more deliveries of an organization can be of use now. */
  roomOf(organizationId: string): number {
    return this.#capacity.roomOf(this.#organizations.get(organizationId))
  }

  /** `null` where the webhook had no attempt for some minutes. */
  limitOf(webhookId: string): number | null {
    const webhook = this.#webhooks.get(webhookId)
    return webhook ? this.#capacity.limitOf(webhook) : null
  }

  *limits(): Iterable<{ webhookId: string; limit: number; inFlight: number; adapts: boolean }> {
    for (const webhook of this.#webhooks.values()) {
      const { webhookId, inFlight, fixedLimit } = webhook
      const limit = this.#capacity.limitOf(webhook)
      yield { webhookId, limit, inFlight, adapts: fixedLimit === null }
    }
  }

  /** `webhookIds` are all that have a backlog now. */
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

  /** To be called ten times a second: measures each webhook, and finds those that have stalled. */
  tick(): void {
    const now = this.#now()
    for (const webhook of this.#webhooks.values()) {
      webhook.measure()
      // As many as can be in flight may go on waiting.
      if (!this.#capacity.hasRoom(webhook) && webhook.hasStalled(now)) {
        this.#reject(webhook, this.#capacity.limitOf(webhook))
      }
      // What others of its organization released may have raised its limit.
      this.#capacity.makeReady(webhook)
      if (webhook.isForgettable(this.#webhooks.size)) this.#forget(webhook)
    }
    this.#capacity.startReady()
    this.#relieveOrganizations(now)
  }

  /** Many webhooks of an organization that hang together, each within its limit, could occupy the limiter. */
  #relieveOrganizations(now: number): void {
    for (const organization of this.#organizations.values()) {
      const stalled = [...organization.webhooks].filter((webhook) => webhook.hasStalled(now))
      organization.hasStalled = stalled.length > 0
      for (const webhook of stalled) {
        if (this.#capacity.waitsTooMuch(organization)) this.#reject(webhook, 0)
      }
    }
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
      const counts = { inFlight: 0, waiting: 0, hasStalled: false }
      organization = { organizationId, webhooks: new Set(), ready: new Set(), ...counts }
      this.#organizations.set(organizationId, organization)
    }
    return organization
  }

  #forget(webhook: LimitedWebhook): void {
    const { webhookId, organization } = webhook
    this.#webhooks.delete(webhookId)
    organization.webhooks.delete(webhook)
    if (organization.webhooks.size === 0) this.#organizations.delete(organization.organizationId)
  }
}

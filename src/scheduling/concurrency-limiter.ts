import {
  type AcquireResult,
  type AttemptResult,
  type Candidate,
  INITIAL_LIMIT,
  LimitedOrganization,
  LimitedWebhook,
} from './limited-webhook.ts'

/**
 * The attempts in flight of an organization may be this many times the free capacity. So one organization alone uses four
 * fifths of the capacity, two use four ninths each, and some capacity is always free for another one.
 */
export const SHARE_OF_FREE = 4

/** How much of a capacity one user of it gets, if there is no other one. */
function fairShare(capacity: number): number {
  return Math.ceil((capacity * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
}

export interface ConcurrencyLimiterOptions {
  /** Maximum attempts in flight in this process. */
  readonly capacity: number
  /** Called when a webhook with a backlog has free capacity again. */
  readonly onFreeCapacity: (webhookId: string) => void
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Limits the attempts in flight per process, organization and webhook. An organization leaves some of the capacity free for
 * the next one, and a webhook leaves some of the share of its organization. Organizations with waiting candidates take
 * turns, and so do the webhooks of each.
 *
 * Waiting is bounded: candidates of a stalled webhook are rejected and then parked, so that one slow endpoint cannot
 * occupy the limiter.
 */
export class ConcurrencyLimiter {
  readonly #capacity: number
  readonly #onFreeCapacity: (webhookId: string) => void
  readonly #now: () => number
  readonly #webhooks = new Map<string, LimitedWebhook>()
  readonly #organizations = new Map<string, LimitedOrganization>()
  /** Organizations that have a ready webhook, the next one first. */
  readonly #ready = new Set<LimitedOrganization>()
  #backlogged: ReadonlySet<string> = new Set()
  #isOpen = true
  #inFlight = 0
  #waiting = 0

  constructor({ capacity, onFreeCapacity, now }: ConcurrencyLimiterOptions) {
    this.#capacity = capacity
    this.#onFreeCapacity = onFreeCapacity
    this.#now = now ?? (() => performance.now())
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Acquires a permit, which must be released. Returns without a promise if the candidate does not have to wait. */
  acquire(candidate: Candidate): Promise<AcquireResult> | AcquireResult {
    if (!this.#isOpen) return 'rejected'
    const webhook = this.#webhookOf(candidate)
    const { organization } = webhook
    if (webhook.hasBacklog && webhook.total >= 2 * this.#targetOf(webhook)) return 'rejected'
    const canStart = this.#isBelowLimit(webhook) && this.#isBelowShare(organization)
    if (canStart && webhook.waiting.length === 0) {
      this.#start(webhook)
      return 'acquired'
    }
    // Rejected here rather than at the next tick, so that thousands of such candidates do not delay others.
    if (organization.hasStalled && this.#hasTooManyWaiting(organization)) {
      webhook.hasBacklog = true
      return 'rejected'
    }
    const { promise, resolve } = Promise.withResolvers<AcquireResult>()
    webhook.waiting.push({ since: this.#now(), resolve })
    this.#changeWaiting(organization, 1)
    this.#markReady(webhook)
    // This candidate may have raised the limit, so that earlier ones can start as well.
    if (canStart) this.#startReady()
    return promise
  }

  /** `result` is `null` if nothing was sent. */
  release({ webhookId }: Candidate, result: AttemptResult | null): void {
    const webhook = this.#webhooks.get(webhookId) as LimitedWebhook
    if (result && webhook.fixedLimit === null) {
      const { adaptiveLimit, inFlight, waiting } = webhook
      const isUsed = waiting.length > 0 || 2 * inFlight >= adaptiveLimit.value
      adaptiveLimit.record(result, isUsed, this.#maxLimitOf(webhook))
    }
    webhook.inFlight -= 1
    webhook.organization.inFlight -= 1
    this.#inFlight -= 1
    webhook.countEnded()
    this.#markReady(webhook)
    this.#startReady()
    if (webhook.hasBacklog && webhook.total <= this.#targetOf(webhook) / 2) {
      this.#onFreeCapacity(webhookId)
    }
  }

  /** How many more deliveries of a webhook the limiter can use now. */
  freeForWebhook(webhookId: string, maxInFlight: number | null): number {
    const webhook = this.#webhooks.get(webhookId)
    if (!webhook) return 2 * (maxInFlight ?? INITIAL_LIMIT)
    return Math.max(0, this.#targetOf(webhook) - webhook.total)
  }

  /** How many more deliveries of an organization the limiter can use now: those that can start, and some that wait. */
  freeForOrganization(organizationId: string): number {
    const organization = this.#organizations.get(organizationId) ?? NONE
    const { inFlight, waiting } = organization
    const canWait = Math.floor((this.#capacity - (this.#waiting - waiting)) / 2)
    return Math.max(0, this.#shareOf(organization) - inFlight + canWait - waiting)
  }

  /** The limit of each webhook; null if it is fixed. */
  *limits(): Iterable<readonly [webhookId: string, limit: number | null]> {
    for (const webhook of this.#webhooks.values()) {
      yield [webhook.webhookId, webhook.fixedLimit === null ? this.#limitOf(webhook) : null]
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

  /** Rejects every candidate, now and from now on. */
  close(): void {
    this.#isOpen = false
    for (const webhook of this.#webhooks.values()) this.#reject(webhook, 0)
  }

  /** Measures each webhook, and rejects candidates of stalled ones. Call it ten times per second. */
  tick(): void {
    const now = this.#now()
    for (const webhook of this.#webhooks.values()) {
      webhook.measure()
      // As many candidates as the limit keep waiting.
      if (!this.#isBelowLimit(webhook) && webhook.hasStalled(now)) {
        this.#reject(webhook, this.#limitOf(webhook))
      }
      // Permits that other webhooks of the organization released may have raised the limit.
      this.#markReady(webhook)
      if (webhook.canBeEvicted) this.#evict(webhook)
    }
    this.#startReady()
    // Many stalled webhooks of one organization, each within its limit, could occupy the limiter.
    for (const organization of this.#organizations.values()) {
      const stalled = [...organization.webhooks.values()].filter((one) => one.hasStalled(now))
      organization.hasStalled = stalled.length > 0
      for (const webhook of stalled) {
        if (this.#hasTooManyWaiting(organization)) this.#reject(webhook, 0)
      }
    }
  }

  #limitOf(webhook: LimitedWebhook): number {
    const max = this.#maxLimitOf(webhook)
    const { fixedLimit, adaptiveLimit } = webhook
    return fixedLimit === null ? adaptiveLimit.cappedAt(max) : Math.min(fixedLimit, max)
  }

  /** A fair share of the part of the organization's share that its other webhooks do not use. */
  #maxLimitOf({ organization, inFlight }: LimitedWebhook): number {
    return fairShare(this.#shareOf(organization) - (organization.inFlight - inFlight))
  }

  #targetOf(webhook: LimitedWebhook): number {
    return webhook.target(this.#limitOf(webhook))
  }

  #isBelowLimit(webhook: LimitedWebhook): boolean {
    return webhook.inFlight < this.#limitOf(webhook)
  }

  #shareOf({ inFlight }: Counts): number {
    return fairShare(this.#capacity - (this.#inFlight - inFlight))
  }

  #isBelowShare({ inFlight }: Counts): boolean {
    return inFlight < SHARE_OF_FREE * (this.#capacity - this.#inFlight)
  }

  /** Whether more candidates of an organization wait than the capacity leaves to further candidates. */
  #hasTooManyWaiting({ waiting }: Counts): boolean {
    return waiting > this.#capacity - this.#waiting
  }

  #markReady(webhook: LimitedWebhook): void {
    if (webhook.waiting.length === 0 || !this.#isBelowLimit(webhook)) return
    webhook.organization.ready.add(webhook)
    this.#ready.add(webhook.organization)
  }

  #startReady(): void {
    let skipped = 0
    while (skipped < this.#ready.size) {
      const organization = removeFirst(this.#ready)
      if (this.#isBelowShare(organization)) this.#startOneOf(removeFirst(organization.ready))
      else skipped += 1
      if (organization.ready.size > 0) this.#ready.add(organization)
    }
  }

  #startOneOf(webhook: LimitedWebhook): void {
    // Its limit may have been lowered since it became ready.
    if (!this.#isBelowLimit(webhook)) return
    const next = webhook.waiting.shift()
    if (!next) return
    this.#changeWaiting(webhook.organization, -1)
    this.#start(webhook)
    this.#markReady(webhook)
    next.resolve('acquired')
  }

  #start(webhook: LimitedWebhook): void {
    webhook.inFlight += 1
    webhook.organization.inFlight += 1
    this.#inFlight += 1
  }

  #changeWaiting(organization: LimitedOrganization, by: number): void {
    organization.waiting += by
    this.#waiting += by
  }

  #reject(webhook: LimitedWebhook, keep: number): void {
    const rejected = webhook.waiting.splice(keep)
    if (rejected.length === 0) return
    webhook.hasBacklog = true
    this.#changeWaiting(webhook.organization, -rejected.length)
    for (const { resolve } of rejected) resolve('rejected')
  }

  #webhookOf({ webhookId, organizationId, maxInFlight }: Candidate): LimitedWebhook {
    let webhook = this.#webhooks.get(webhookId)
    if (!webhook) {
      const organization = this.#organizationOf(organizationId)
      webhook = new LimitedWebhook(webhookId, organization)
      webhook.hasBacklog = this.#backlogged.has(webhookId)
      organization.webhooks.set(webhookId, webhook)
      this.#webhooks.set(webhookId, webhook)
    }
    webhook.fixedLimit = maxInFlight
    return webhook
  }

  #organizationOf(id: string): LimitedOrganization {
    const organization = this.#organizations.get(id) ?? new LimitedOrganization(id)
    this.#organizations.set(id, organization)
    return organization
  }

  #evict({ webhookId, organization }: LimitedWebhook): void {
    this.#webhooks.delete(webhookId)
    organization.webhooks.delete(webhookId)
    if (organization.webhooks.size === 0) this.#organizations.delete(organization.id)
  }
}

type Counts = Pick<LimitedOrganization, 'inFlight' | 'waiting'>

const NONE: Counts = { inFlight: 0, waiting: 0 }

function removeFirst<Item>(items: Set<Item>): Item {
  const first = items.values().next().value as Item
  items.delete(first)
  return first
}

import type { LimitedOrganization, LimitedWebhook, WaitingCandidate } from './limited-webhook.ts'

/**
 * The capacity of a process, shared among its organizations. Organizations with waiting candidates take turns, and so do
 * the webhooks of each organization.
 */
export class SharedCapacity {
  readonly #capacity: number
  /** Organizations that have a ready webhook, the next one first. */
  readonly #ready = new Set<LimitedOrganization>()
  #inFlight = 0
  #waiting = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * The upper bound of a webhook's adaptive limit: a fair share of the part of the organization's share that its other
   * webhooks do not use.
   */
  maxLimitOf({ organization, inFlight }: LimitedWebhook): number {
    return fairShare(this.#shareOf(organization) - (organization.inFlight - inFlight))
  }

  limitOf(webhook: LimitedWebhook): number {
    return webhook.fixedLimit ?? webhook.adaptiveLimit.cappedAt(this.maxLimitOf(webhook))
  }

  targetOf(webhook: LimitedWebhook, limit = this.limitOf(webhook)): number {
    return webhook.target(limit, this.#capacity)
  }

  /** How many more deliveries an organization may have in the limiter: those that can start, and some that wait. */
  freeFor(organization: Counts = NONE): number {
    const canWait = Math.floor((this.#capacity - (this.#waiting - organization.waiting)) / 2)
    const canStart = this.#shareOf(organization) - organization.inFlight
    return Math.max(0, canStart + canWait - organization.waiting)
  }

  isBelowLimit(webhook: LimitedWebhook): boolean {
    return webhook.inFlight < this.limitOf(webhook)
  }

  canStart(webhook: LimitedWebhook): boolean {
    return this.isBelowLimit(webhook) && this.#isBelowShare(webhook.organization)
  }

  /** Whether more candidates of an organization wait than the capacity leaves to further candidates. */
  hasTooManyWaiting({ waiting }: Counts): boolean {
    return waiting > this.#capacity - this.#waiting
  }

  start(webhook: LimitedWebhook): void {
    this.#changeInFlight(webhook, 1)
  }

  end(webhook: LimitedWebhook): void {
    this.#changeInFlight(webhook, -1)
    webhook.countEnded()
    this.markReady(webhook)
    this.startReady()
  }

  wait(webhook: LimitedWebhook, candidate: WaitingCandidate): void {
    webhook.waiting.push(candidate)
    this.changeWaiting(webhook.organization, 1)
    this.markReady(webhook)
  }

  reject(webhook: LimitedWebhook, keep: number): void {
    const { organization, waiting } = webhook
    const rejected = waiting.splice(keep)
    if (waiting.length === 0) organization.ready.delete(webhook)
    if (organization.ready.size === 0) this.#ready.delete(organization)
    this.changeWaiting(organization, -rejected.length)
    for (const { resolve } of rejected) resolve('rejected')
  }

  changeWaiting(organization: LimitedOrganization, by: number): void {
    organization.waiting += by
    this.#waiting += by
  }

  markReady(webhook: LimitedWebhook): void {
    if (webhook.waiting.length === 0 || !this.isBelowLimit(webhook)) return
    webhook.organization.ready.add(webhook)
    this.#ready.add(webhook.organization)
  }

  startReady(): void {
    let skipped = 0
    while (skipped < this.#ready.size) {
      const organization = removeFirst(this.#ready)
      if (this.#isBelowShare(organization)) this.#startOneOf(organization)
      else skipped += 1
      if (organization.ready.size > 0) this.#ready.add(organization)
    }
  }

  #startOneOf(organization: LimitedOrganization): void {
    const webhook = removeFirst(organization.ready)
    // Its limit may have been lowered since it became ready.
    if (!this.isBelowLimit(webhook)) return
    const { resolve } = webhook.waiting.shift() as WaitingCandidate
    this.changeWaiting(organization, -1)
    this.start(webhook)
    this.markReady(webhook)
    resolve('acquired')
  }

  #changeInFlight(webhook: LimitedWebhook, by: number): void {
    webhook.inFlight += by
    webhook.organization.inFlight += by
    this.#inFlight += by
  }

  #shareOf({ inFlight }: Counts): number {
    return fairShare(this.#capacity - (this.#inFlight - inFlight))
  }

  #isBelowShare({ inFlight }: Counts): boolean {
    return inFlight < SHARE_OF_FREE * (this.#capacity - this.#inFlight)
  }
}

type Counts = Pick<LimitedOrganization, 'inFlight' | 'waiting'>

const NONE: Counts = { inFlight: 0, waiting: 0 }

/**
 * The attempts in flight of an organization may be this many times the free capacity. So one organization alone uses four
 * fifths of the capacity, two use four ninths each, and some capacity is always free for another one.
 */
const SHARE_OF_FREE = 4

function fairShare(capacity: number): number {
  return Math.ceil((capacity * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
}

function removeFirst<Item>(items: Set<Item>): Item {
  const first = items.values().next().value as Item
  items.delete(first)
  return first
}

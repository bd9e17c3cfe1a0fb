import type { LimitedOrganization, LimitedWebhook, WaitingCandidate } from './limited-webhook.ts'

/** The capacity of a process: who uses it, and who is next. Organizations take turns, and so do the webhooks of each. */
export class SharedCapacity {
  readonly #capacity: number
  /** Those with a candidate that may start, the next one first. */
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

  /** The most an adaptive limit allows: a fair share of what the others leave of the organization's own share. */
  maxOf({ organization, inFlight }: LimitedWebhook): number {
    return fairShare(this.#shareOf(organization) - (organization.inFlight - inFlight))
  }

  limitOf(webhook: LimitedWebhook): number {
    return webhook.fixedLimit ?? webhook.adaptiveLimit.within(this.maxOf(webhook))
  }

  targetOf(webhook: LimitedWebhook, limit = this.limitOf(webhook)): number {
    return webhook.target(limit, this.#capacity)
  }

  /** How many more deliveries can be of use: those that may start, and some that wait. */
  roomOf(organization: Counts = NONE): number {
    const mayWait = Math.floor((this.#capacity - (this.#waiting - organization.waiting)) / 2)
    const mayStart = this.#shareOf(organization) - organization.inFlight
    return Math.max(0, mayStart + mayWait - organization.waiting)
  }

  hasRoom(webhook: LimitedWebhook): boolean {
    return webhook.inFlight < this.limitOf(webhook)
  }

  mayStart(webhook: LimitedWebhook): boolean {
    return this.hasRoom(webhook) && this.#hasShare(webhook.organization)
  }

  /** Whether more candidates of an organization wait than others still may. */
  waitsTooMuch({ waiting }: Counts): boolean {
    return waiting > this.#capacity - this.#waiting
  }

  start(webhook: LimitedWebhook): void {
    this.#countInFlight(webhook, 1)
  }

  end(webhook: LimitedWebhook): void {
    this.#countInFlight(webhook, -1)
    webhook.countEnded()
    this.makeReady(webhook)
    this.startReady()
  }

  wait(webhook: LimitedWebhook, candidate: WaitingCandidate): void {
    webhook.waiting.push(candidate)
    this.countWaiting(webhook.organization, 1)
    this.makeReady(webhook)
  }

  reject(webhook: LimitedWebhook, keep: number): void {
    const { organization, waiting } = webhook
    const rejected = waiting.splice(keep)
    if (waiting.length === 0) organization.ready.delete(webhook)
    if (organization.ready.size === 0) this.#ready.delete(organization)
    this.countWaiting(organization, -rejected.length)
    for (const { answer } of rejected) answer('rejected')
  }

  countWaiting(organization: LimitedOrganization, more: number): void {
    organization.waiting += more
    this.#waiting += more
  }

  makeReady(webhook: LimitedWebhook): void {
    if (webhook.waiting.length === 0 || !this.hasRoom(webhook)) return
    webhook.organization.ready.add(webhook)
    this.#ready.add(webhook.organization)
  }

  startReady(): void {
    let skipped = 0
    while (skipped < this.#ready.size) {
      const organization = takeFirst(this.#ready)
      if (this.#hasShare(organization)) this.#startOneOf(organization)
      else skipped += 1
      if (organization.ready.size > 0) this.#ready.add(organization)
    }
  }

  #startOneOf(organization: LimitedOrganization): void {
    const webhook = takeFirst(organization.ready)
    // Its limit may have been lowered since it was ready.
    if (!this.hasRoom(webhook)) return
    const { answer } = webhook.waiting.shift() as WaitingCandidate
    this.countWaiting(organization, -1)
    this.start(webhook)
    this.makeReady(webhook)
    answer('acquired')
  }

  #countInFlight(webhook: LimitedWebhook, more: number): void {
    webhook.inFlight += more
    webhook.organization.inFlight += more
    this.#inFlight += more
  }

  #shareOf({ inFlight }: Counts): number {
    return fairShare(this.#capacity - (this.#inFlight - inFlight))
  }

  #hasShare({ inFlight }: Counts): boolean {
    return inFlight < SHARE_OF_FREE * (this.#capacity - this.#inFlight)
  }
}

type Counts = Pick<LimitedOrganization, 'inFlight' | 'waiting'>

const NONE: Counts = { inFlight: 0, waiting: 0 }

/**
 * An organization may have this many times as many attempts in flight as there are places free. So one alone takes four
 * fifths of them, two take four ninths each, and there is always room for another.
 */
const SHARE_OF_FREE = 4

function fairShare(places: number): number {
  return Math.ceil((places * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
}

function takeFirst<Item>(items: Set<Item>): Item {
  const first = items.values().next().value as Item
  items.delete(first)
  return first
}

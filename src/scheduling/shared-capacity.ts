import type {
  Candidate,
  LimitedOrganization,
  LimitedWebhook,
  WaitingCandidate,
} from './limited-webhook.ts'

/**
 * The attempts in flight of an organization may be this many times the free capacity. So one organization alone uses four
 * fifths of the capacity, two use four ninths each, and some capacity is always free for another one.
 */
export const SHARE_OF_FREE = 4

/** How much of a capacity one organization gets, if no other one uses it. */
function fairShare(capacity: number): number {
  return Math.ceil((capacity * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
}

/** The part of the capacity that counts apart, for attempts without a connection, and what one webhook may have of it. */
const SHARE_UNCONNECTED = 0.25
const SHARE_OF_WEBHOOK = 0.1

/**
 * The capacity of a process, shared among its organizations. Organizations with waiting candidates take turns, and so do
 * the webhooks of each organization.
 */
export class SharedCapacity {
  readonly #capacity: number
  /** Organizations that have a ready webhook, the next one first. */
  readonly #ready = new Set<LimitedOrganization>()
  /**
   * Attempts that wait for a connection for longer than usual. They count apart from the capacity, so that endpoints that
   * accept no connection leave the capacity to the others. Their number is bounded for each webhook and organization.
   */
  readonly #unconnected = new Set<Candidate>()
  readonly #capacityUnconnected: number
  /** Without unconnected attempts. */
  #inFlight = 0
  #waiting = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#capacityUnconnected = Math.ceil(capacity * SHARE_UNCONNECTED)
  }

  get inFlight(): number {
    return this.#inFlight + this.#unconnected.size
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * The upper bound of a webhook's adaptive limit: a fair share of the part of the organization's share that its other
   * webhooks do not use.
   */
  maxLimitOf({ organization, inFlight, unconnected }: LimitedWebhook): number {
    const inFlightOfOthers = organization.inFlight - (inFlight - unconnected)
    return fairShare(this.#shareOf(organization) - inFlightOfOthers)
  }

  limitOf(webhook: LimitedWebhook): number {
    return webhook.fixedLimit ?? webhook.adaptiveLimit.cappedAt(this.maxLimitOf(webhook))
  }

  /** The deliveries of an unresponsive webhook wait in its backlog until they can start. */
  targetOf(webhook: LimitedWebhook, limit = this.limitOf(webhook)): number {
    if (webhook.isUnresponsive) return this.#hasRoomUnconnected(webhook) ? limit : 0
    return webhook.target(limit, this.#capacity)
  }

  /** How many more deliveries an organization may have in the limiter: those that can start, and some that wait. */
  freeFor(organization: Counts = NONE): number {
    const waitingOfOthers = this.#waiting - organization.waiting
    const canWait = Math.floor((this.#waitingCapacity - waitingOfOthers) / 2)
    const canStart = this.#shareOf(organization) - organization.inFlight
    return Math.max(0, canStart + canWait - organization.waiting)
  }

  /** How many more attempts without a connection an organization may have. It leaves some to the next organization. */
  roomForUnconnected({ unconnected }: Pick<LimitedOrganization, 'unconnected'>): number {
    const free = this.#capacityUnconnected - this.#unconnected.size
    return Math.max(0, Math.ceil((SHARE_OF_FREE * free - unconnected) / (SHARE_OF_FREE + 1)))
  }

  #hasRoomUnconnected({ unconnected, organization }: LimitedWebhook): boolean {
    const maxForWebhook = Math.ceil(this.#capacityUnconnected * SHARE_OF_WEBHOOK)
    return unconnected < maxForWebhook && this.roomForUnconnected(organization) > 0
  }

  isBelowLimit(webhook: LimitedWebhook): boolean {
    return webhook.inFlight < this.limitOf(webhook)
  }

  canStart(webhook: LimitedWebhook): boolean {
    if (!this.isBelowLimit(webhook)) return false
    if (webhook.isUnresponsive) return this.#hasRoomUnconnected(webhook)
    return this.#isBelowShare(webhook.organization)
  }

  /** Whether more candidates of an organization wait than the capacity leaves to further candidates. */
  hasTooManyWaiting({ waiting }: Counts): boolean {
    return waiting > this.#waitingCapacity - this.#waiting
  }

  start(webhook: LimitedWebhook, candidate: Candidate): void {
    webhook.inFlight += 1
    if (webhook.isUnresponsive) this.#addUnconnected(webhook, candidate)
    else this.#changeInFlight(webhook, 1)
  }

  end(webhook: LimitedWebhook, candidate: Candidate): void {
    webhook.inFlight -= 1
    if (this.#unconnected.delete(candidate)) this.#changeUnconnected(webhook, -1)
    else this.#changeInFlight(webhook, -1)
    webhook.countEnded()
    this.markReady(webhook)
    this.startReady()
    this.startUnresponsive(webhook.organization)
  }

  /**
   * Whether an attempt that has no connection yet may go on: there is room for it, or no other webhook of its organization
   * waits for its place.
   */
  mayGoOn(webhook: LimitedWebhook, candidate: Candidate): boolean {
    if (!webhook.isUnresponsive) {
      this.#unmarkReady(webhook)
      webhook.isUnresponsive = true
      this.markReady(webhook)
    }
    if (this.#unconnected.has(candidate)) return true
    if (!this.#hasRoomUnconnected(webhook)) {
      return ![...webhook.organization.ready].some((other) => this.isBelowLimit(other))
    }
    this.#addUnconnected(webhook, candidate)
    this.#changeInFlight(webhook, -1)
    this.startReady()
    return true
  }

  markResponsive(webhook: LimitedWebhook): void {
    webhook.isUnresponsive = false
    webhook.organization.unresponsive.delete(webhook)
    this.markReady(webhook)
  }

  wait(webhook: LimitedWebhook, candidate: WaitingCandidate): void {
    webhook.waiting.push(candidate)
    this.changeWaiting(webhook.organization, 1)
    this.markReady(webhook)
  }

  reject(webhook: LimitedWebhook, keep: number): void {
    const { organization, waiting } = webhook
    const rejected = waiting.splice(keep)
    if (waiting.length === 0) this.#unmarkReady(webhook)
    this.changeWaiting(organization, -rejected.length)
    for (const { resolve } of rejected) resolve('rejected')
  }

  changeWaiting(organization: LimitedOrganization, by: number): void {
    organization.waiting += by
    this.#waiting += by
  }

  markReady(webhook: LimitedWebhook): void {
    const { organization } = webhook
    if (webhook.waiting.length === 0 || !this.isBelowLimit(webhook)) return
    if (webhook.isUnresponsive) organization.unresponsive.add(webhook)
    else {
      organization.ready.add(webhook)
      this.#ready.add(organization)
    }
  }

  #unmarkReady(webhook: LimitedWebhook): void {
    const { organization } = webhook
    organization.unresponsive.delete(webhook)
    organization.ready.delete(webhook)
    if (organization.ready.size === 0) this.#ready.delete(organization)
  }

  startReady(): void {
    let skipped = 0
    while (skipped < this.#ready.size) {
      const organization = removeFirst(this.#ready)
      if (this.#isBelowShare(organization)) this.#startOneOf(removeFirst(organization.ready))
      else skipped += 1
      if (organization.ready.size > 0) this.#ready.add(organization)
    }
  }

  /** Each one that has started is tried again after the others. */
  startUnresponsive({ unresponsive }: LimitedOrganization): void {
    for (const webhook of unresponsive) {
      if (!this.#hasRoomUnconnected(webhook)) continue
      unresponsive.delete(webhook)
      this.#startOneOf(webhook)
    }
  }

  #startOneOf(webhook: LimitedWebhook): void {
    // Its limit may have been lowered since it became ready.
    if (!this.isBelowLimit(webhook)) return
    const { candidate, resolve } = webhook.waiting.shift() as WaitingCandidate
    this.changeWaiting(webhook.organization, -1)
    this.start(webhook, candidate)
    this.markReady(webhook)
    resolve('acquired')
  }

  #addUnconnected(webhook: LimitedWebhook, candidate: Candidate): void {
    this.#unconnected.add(candidate)
    this.#changeUnconnected(webhook, 1)
  }

  #changeUnconnected(webhook: LimitedWebhook, by: number): void {
    webhook.unconnected += by
    webhook.organization.unconnected += by
  }

  #changeInFlight({ organization }: LimitedWebhook, by: number): void {
    organization.inFlight += by
    this.#inFlight += by
  }

  /** Waiting candidates and attempts together fill at most the jobs that run at a time. */
  get #waitingCapacity(): number {
    return this.#capacity - this.#unconnected.size
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

function removeFirst<Item>(items: Set<Item>): Item {
  const first = items.values().next().value as Item
  items.delete(first)
  return first
}

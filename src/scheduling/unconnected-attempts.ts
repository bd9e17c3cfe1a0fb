import { SHARE_OF_FREE } from './fair-share.ts'
import type { Candidate, LimitedOrganization, LimitedWebhook } from './limited-webhook.ts'

/**
 * Attempts that wait for a connection for longer than usual. They count apart from the capacity of the process, so that
 * endpoints that accept no connection leave it to the others. Their number is bounded for each webhook and organization.
 */
export class UnconnectedAttempts {
  readonly #capacity: number
  readonly #candidates = new Set<Candidate>()

  constructor(capacityOfProcess: number) {
    this.#capacity = Math.ceil(capacityOfProcess * SHARE_OF_CAPACITY)
  }

  get size(): number {
    return this.#candidates.size
  }

  has(candidate: Candidate): boolean {
    return this.#candidates.has(candidate)
  }

  /** How many more attempts of an organization fit. As with the capacity, it leaves some to the next organization. */
  roomFor({ unconnected }: Pick<LimitedOrganization, 'unconnected'>): number {
    const free = this.#capacity - this.size
    return Math.max(0, Math.ceil((SHARE_OF_FREE * free - unconnected) / (SHARE_OF_FREE + 1)))
  }

  hasRoomFor({ unconnected, organization }: LimitedWebhook): boolean {
    const maxForWebhook = Math.ceil(this.#capacity * SHARE_OF_WEBHOOK)
    return unconnected < maxForWebhook && this.roomFor(organization) > 0
  }

  add(webhook: LimitedWebhook, candidate: Candidate): void {
    this.#candidates.add(candidate)
    this.#count(webhook, 1)
  }

  /** Returns `false` if the candidate was not among them. */
  delete(webhook: LimitedWebhook, candidate: Candidate): boolean {
    if (!this.#candidates.delete(candidate)) return false
    this.#count(webhook, -1)
    return true
  }

  #count(webhook: LimitedWebhook, by: number): void {
    webhook.unconnected += by
    webhook.organization.unconnected += by
  }
}

/** As a share of the capacity of the process. */
const SHARE_OF_CAPACITY = 0.25

const SHARE_OF_WEBHOOK = 0.1

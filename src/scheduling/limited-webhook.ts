import { AdaptiveLimit } from './adaptive-limit.ts'

/** A delivery that is ready to be sent. */
export interface Candidate {
  readonly webhookId: string
  readonly organizationId: string
  /** The fixed concurrency limit of the webhook; `null` for an adaptive limit. */
  readonly maxInFlight: number | null
}

/** `acquired`: the delivery may be sent now. `rejected`: it must be parked. */
export type AcquireResult = 'acquired' | 'rejected'

interface WaitingCandidate {
  /** When it began to wait, by the limiter's clock. */
  readonly since: number
  readonly resolve: (result: AcquireResult) => void
}

/** The state of an organization in the limiter. */
export class LimitedOrganization {
  readonly id: string
  readonly webhooks = new Map<string, LimitedWebhook>()
  /** Its webhooks that have a waiting candidate and are below their limit, the next one first. */
  readonly ready = new Set<LimitedWebhook>()
  inFlight = 0
  /** Candidates that wait for a permit. */
  waiting = 0
  /** Whether one of its webhooks has stalled. */
  hasStalled = false

  constructor(id: string) {
    this.id = id
  }
}

/** The state of a webhook in the limiter. */
export class LimitedWebhook {
  readonly webhookId: string
  readonly organization: LimitedOrganization
  readonly adaptiveLimit = new AdaptiveLimit()
  /** `null`: the limit adapts. */
  fixedLimit: number | null = null
  readonly waiting: WaitingCandidate[] = []
  inFlight = 0
  /** Whether deliveries of the webhook are parked. */
  hasBacklog = false
  #endedSinceMeasured = 0
  #perSecond = 0
  #idleTicks = 0

  constructor(webhookId: string, organization: LimitedOrganization) {
    this.webhookId = webhookId
    this.organization = organization
  }

  /** All its deliveries in the limiter. */
  get total(): number {
    return this.inFlight + this.waiting.length
  }

  /** Whether it is idle long enough to forget its adaptive limit. */
  get canBeEvicted(): boolean {
    return this.#idleTicks > KEEP_TICKS
  }

  /** Whether the first candidate has waited for 300 ms, and the last one would wait for more than a second. */
  hasStalled(now: number): boolean {
    const [first] = this.waiting
    if (first === undefined || now - first.since < STALLED_AFTER_MS) return false
    return this.waiting.length > this.#perSecond
  }

  /** The number of deliveries in the limiter that keeps the webhook busy until more are released. */
  target(limit: number): number {
    return Math.max(2 * limit, Math.ceil(this.#perSecond * RELEASE_SECONDS))
  }

  countEnded(): void {
    this.#endedSinceMeasured += 1
  }

  /** Call it ten times per second. */
  measure(): void {
    this.#perSecond += (this.#endedSinceMeasured * 10 - this.#perSecond) * 0.3
    this.#endedSinceMeasured = 0
    this.#idleTicks = this.total === 0 ? this.#idleTicks + 1 : 0
  }
}

const STALLED_AFTER_MS = 300

/** The time from the release of a backlog until its deliveries are in the limiter. */
const RELEASE_SECONDS = 0.1

/** A minute. */
const KEEP_TICKS = 600

import { AdaptiveLimit } from './adaptive-limit.ts'

/** Whether a delivery may be sent now, or is to be parked. */
export type Answer = 'acquired' | 'rejected'

export interface WaitingCandidate {
  /** Of the limiter's clock. */
  readonly since: number
  readonly answer: (answer: Answer) => void
}

/** What an organization has in the limiter. */
export interface LimitedOrganization {
  readonly organizationId: string
  readonly webhooks: Set<LimitedWebhook>
  /** Its webhooks with a candidate that may start, the next one first. */
  readonly ready: Set<LimitedWebhook>
  inFlight: number
  /** With those expected. */
  waiting: number
  /** Whether candidates of one of its webhooks wait for too long. */
  hasStalled: boolean
}

/** What one webhook has in the limiter. */
export class LimitedWebhook {
  readonly webhookId: string
  readonly organization: LimitedOrganization
  readonly adaptiveLimit = new AdaptiveLimit()
  /** `null`: the limit adapts. */
  fixedLimit: number | null = null
  readonly waiting: WaitingCandidate[] = []
  inFlight = 0
  /** Candidates that come later. */
  expected = 0
  /** Whether more of its deliveries are parked. */
  hasBacklog = false
  #endedSinceMeasured = 0
  #perSecond = 0
  #idleTicks = 0

  constructor(webhookId: string, organization: LimitedOrganization) {
    this.webhookId = webhookId
    this.organization = organization
  }

  get held(): number {
    return this.inFlight + this.waiting.length + this.expected
  }

  /** A limit that was learned is kept over a pause, while there are few webhooks. */
  isForgettable(webhookCount: number): boolean {
    const isKept = this.fixedLimit === null && webhookCount <= MAX_IDLE_WEBHOOKS
    return this.#idleTicks > 10 * (isKept ? KEEP_LIMIT_SECONDS : KEEP_WEBHOOK_SECONDS)
  }

  /** Whether the first candidate has waited for a while, and the last would wait for too long. */
  hasStalled(now: number): boolean {
    const [first] = this.waiting
    if (first === undefined || now - first.since < STALLED_AFTER_MS) return false
    return this.waiting.length * 1_000 > this.#perSecond * TOO_LONG_MS
  }

  /** How many of its deliveries keep it busy until more are fetched. */
  target(limit: number, capacity: number): number {
    const soon = Math.ceil((this.#perSecond * FETCHED_WITHIN_MS) / 1_000)
    return Math.max(2 * limit, Math.min(soon, capacity))
  }

  countEnded(): void {
    this.#endedSinceMeasured += 1
  }

  /** To be called ten times a second. */
  measure(): void {
    this.#perSecond += (this.#endedSinceMeasured * 10 - this.#perSecond) * 0.3
    this.#endedSinceMeasured = 0
    this.#idleTicks = this.held === 0 ? this.#idleTicks + 1 : 0
  }
}

const STALLED_AFTER_MS = 300
const TOO_LONG_MS = 1_000

/** What it takes to release deliveries from a backlog until they are here. */
const FETCHED_WITHIN_MS = 100

const KEEP_WEBHOOK_SECONDS = 1
const KEEP_LIMIT_SECONDS = 300

/** Where a process knows more webhooks, it forgets the idle ones soon. */
const MAX_IDLE_WEBHOOKS = 1_000

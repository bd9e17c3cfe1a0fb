/** Whether a delivery may be sent now, or must wait in line, in the database. */
export type Answer = 'enter' | 'turned away'

/** A delivery that waits at the gate. */
export interface Waiter {
  /** In milliseconds, on the gate's clock. */
  readonly since: number
  readonly answer: (answer: Answer) => void
}

/** What an organization has at the gate. */
export interface Organization {
  readonly organizationId: string
  readonly lines: Set<Line>
  /** Its webhooks for which somebody may enter, the next one first. */
  readonly ready: Set<Line>
  inFlight: number
  waiting: number
}

/** What one webhook has at the gate. */
export class Line {
  readonly webhookId: string
  readonly organization: Organization
  maxInFlight: number
  readonly waiting: Waiter[] = []
  inFlight = 0
  /** How many will come later. */
  expected = 0
  /** Whether more of its deliveries wait in the database. */
  crowded = false
  /** Attempts that ended since the last measurement. */
  finished = 0
  #perSecond = 0
  #idleTicks = 0

  constructor(webhookId: string, organization: Organization, maxInFlight: number) {
    this.webhookId = webhookId
    this.organization = organization
    this.maxInFlight = maxInFlight
  }

  get hasRoom(): boolean {
    return this.inFlight < this.maxInFlight
  }

  get held(): number {
    return this.inFlight + this.waiting.length + this.expected
  }

  /** Nothing of it was here for a second. */
  get isIdle(): boolean {
    return this.#idleTicks > 10
  }

  /** Whether those who wait would be better off elsewhere: the first has waited for a while, and the last would. */
  hasStalled(now: number): boolean {
    const [first] = this.waiting
    if (first === undefined || now - first.since < STALLED_AFTER_MS) return false
    return this.waiting.length * 1_000 > this.#perSecond * TOO_LONG_MS
  }

  /** How many of its deliveries keep it busy until more are fetched: for a fast receiver many, for a slow one few. */
  target(capacity: number): number {
    const soon = Math.ceil((this.#perSecond * FETCHED_WITHIN_MS) / 1_000)
    return Math.max(2 * this.maxInFlight, Math.min(soon, capacity))
  }

  measure(): void {
    this.#perSecond += (this.finished * 10 - this.#perSecond) * 0.3
    this.finished = 0
    this.#idleTicks = this.held === 0 ? this.#idleTicks + 1 : 0
  }
}

const STALLED_AFTER_MS = 300
const TOO_LONG_MS = 1_000

/** What it takes to release deliveries from the database until they are here. */
const FETCHED_WITHIN_MS = 100

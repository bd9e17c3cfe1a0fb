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

/** An ended attempt, and whether its endpoint is overloaded. Times are of the limiter's clock. */
export interface AttemptResult {
  readonly startedAt: number
  readonly durationMs: number
  /**
   * `ok`: the endpoint kept up, even if it answered with a status such as 404. `overload`: no connection or no answer in
   * time, 429, or a 5xx other than 500. `neutral`: no sign of the load, such as 500 or an address that the guard blocked.
   */
  readonly kind: 'ok' | 'overload' | 'neutral'
}

/**
 * The concurrency limit of one webhook, adapted like the congestion window of TCP: it doubles per round trip at first,
 * then grows by one per round trip, and halves on overload. It stops growing while answers are slower than usual.
 */
export class AdaptiveLimit {
  #limit = INITIAL_LIMIT
  /** Below the threshold the limit doubles per round trip, above it the limit grows by one. */
  #threshold = Number.POSITIVE_INFINITY
  #hasGrown = true
  #decreasedAt = Number.NEGATIVE_INFINITY
  /** Overloads since the last decrease, minus the tolerated share of the answers. */
  #overloads = 0
  #answers = 0
  #answeredAt = 0
  /** The latency of recent answers, and the usual latency. */
  #latencyMs = 0
  #baselineMs = 0

  get value(): number {
    return this.#limit
  }

  cappedAt(max: number): number {
    return Math.max(1, Math.floor(Math.min(this.#limit, max)))
  }

  /** `isUsed`: whether the webhook uses most of its limit. `max`: an upper bound of the limit. */
  record({ kind, startedAt, durationMs }: AttemptResult, isUsed: boolean, max: number): void {
    // Attempts that started before the last decrease ran under another limit.
    if (kind === 'neutral' || startedAt < this.#decreasedAt) return
    const endedAt = startedAt + durationMs
    if (kind !== 'ok') {
      this.#overloads += 1
      if (this.#overloads > TOLERATED_OVERLOAD_SHARE * this.#limit) {
        this.#decrease(endedAt, max)
      }
      return
    }
    this.#overloads = Math.max(0, this.#overloads - TOLERATED_OVERLOAD_SHARE)
    this.#measure(durationMs, endedAt)
    if (this.#latencyMs > SLOW_FACTOR * this.#baselineMs + NOISE_MS) {
      this.#threshold = Math.min(this.#threshold, this.#limit)
    } else if (isUsed) this.#grow(max)
  }

  #grow(max: number): void {
    if (this.#limit >= max) return
    const more = this.#limit < this.#threshold ? 1 : 1 / this.#limit
    this.#limit = Math.min(max, this.#limit + more)
    this.#hasGrown = true
  }

  /**
   * The threshold is kept while decreases follow each other. So after an outage, which halves the limit many times, the
   * limit doubles back to half of its value before the outage.
   */
  #decrease(now: number, max: number): void {
    const half = Math.max(1, Math.min(this.#limit, max) / 2)
    if (this.#hasGrown) this.#threshold = half
    this.#limit = half
    this.#hasGrown = false
    this.#decreasedAt = now
    this.#overloads = 0
  }

  /** The baseline drifts to the latency, so that an endpoint that stays slower is soon measured by its new latency. */
  #measure(durationMs: number, now: number): void {
    this.#answers = Math.min(this.#answers + 1, LATENCY_ANSWERS)
    const weight = 1 / this.#answers
    const drift = 1 - Math.exp(Math.min(0, this.#answeredAt - now) / BASELINE_MS)
    const isFirst = this.#answers < LATENCY_ANSWERS
    this.#latencyMs += (durationMs - this.#latencyMs) * weight
    this.#baselineMs += (durationMs - this.#baselineMs) * (isFirst ? weight : drift)
    this.#answeredAt = Math.max(this.#answeredAt, now)
  }
}

export const INITIAL_LIMIT = 20

/** A smaller share of failures is caused by single events, not by overload. */
const TOLERATED_OVERLOAD_SHARE = 0.05

/** The recent latency is the average of about this many answers. */
const LATENCY_ANSWERS = 50

/** Answers are slow if they take longer than this many times the baseline plus `NOISE_MS`. */
const SLOW_FACTOR = 2

/** Variation of this size is caused by the process itself, not by an endpoint. */
const NOISE_MS = 5

/** The baseline is the average of about this time. */
const BASELINE_MS = 30_000

/** What an attempt showed about the load of its endpoint. Times are of the limiter's clock. */
export interface AttemptResult {
  readonly startedAt: number
  readonly durationMs: number
  /**
   * `ok`: the endpoint kept up, also where it answered 404 or the like. `overload`: a time-out, a connection error,
   * 429 or 5xx. `neutral`: nothing about the load, as when the address guard refused to connect.
   */
  readonly kind: 'ok' | 'overload' | 'neutral'
}

/** How much of its limit a webhook used when an attempt ended. */
export interface Usage {
  /** With the attempt that ended. */
  readonly inFlight: number
  readonly hasWaiting: boolean
  /** The limit never grows above it. */
  readonly max: number
}

/**
 * How many attempts one webhook may have in flight, learned as TCP learns its window: doubled per round trip at first,
 * then one more per round trip, halved on overload. It stops growing while answers take longer than they used to.
 */
export class AdaptiveLimit {
  #limit = INITIAL_LIMIT
  /** Below it the limit doubles per round trip, above it grows by one. */
  #threshold = Number.POSITIVE_INFINITY
  #hasGrown = true
  #decreasedAt = Number.NEGATIVE_INFINITY
  /** Failures since the last decrease, less the tolerated share of the answers. */
  #overloads = 0
  #answers = 0
  #answeredAt = 0
  /** How long answers take now, and how long they usually do. */
  #latencyMs = 0
  #baselineMs = 0

  within(max: number): number {
    return Math.max(1, Math.floor(Math.min(this.#limit, max)))
  }

  record({ kind, startedAt, durationMs }: AttemptResult, usage: Usage): void {
    // Attempts from before the last decrease show nothing about the limit of now.
    if (kind === 'neutral' || startedAt < this.#decreasedAt) return
    const endedAt = startedAt + durationMs
    if (kind === 'overload') {
      this.#overloads += 1
      if (this.#overloads > TOLERATED_OVERLOAD_SHARE * this.#limit) {
        this.#decrease(endedAt, usage.max)
      }
      return
    }
    this.#overloads = Math.max(0, this.#overloads - TOLERATED_OVERLOAD_SHARE)
    this.#measure(durationMs, endedAt)
    if (this.#latencyMs > SLOW_FACTOR * this.#baselineMs + NOISE_MS) {
      this.#threshold = Math.min(this.#threshold, this.#limit)
    } else if (usage.hasWaiting || 2 * usage.inFlight >= this.#limit) this.#grow(usage.max)
  }

  #grow(max: number): void {
    if (this.#limit >= max) return
    const more = this.#limit < this.#threshold ? 1 : 1 / this.#limit
    this.#limit = Math.min(max, this.#limit + more)
    this.#hasGrown = true
  }

  /** After an outage, which halves the limit time and again, it doubles back to half of what it was before. */
  #decrease(now: number, max: number): void {
    const half = Math.max(1, Math.min(this.#limit, max) / 2)
    if (this.#hasGrown) this.#threshold = half
    this.#limit = half
    this.#hasGrown = false
    this.#decreasedAt = now
    this.#overloads = 0
  }

  /** The baseline drifts to the latency, so that no endpoint is compared with its past for long. */
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

/** A share of failures up to this comes from single events rather than from overload. */
const TOLERATED_OVERLOAD_SHARE = 0.05

/** The latency of now is the average of about this many answers. */
const LATENCY_ANSWERS = 50

/** Answers are slow when they take this many times as long as usual, and `NOISE_MS` more. */
const SLOW_FACTOR = 2

/** Differences of this size come from the process itself, not from an endpoint. */
const NOISE_MS = 5

/** The baseline is the average over about this time. */
const BASELINE_MS = 30_000

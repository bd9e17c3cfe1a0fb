import type { Sql } from '../db/client.ts'

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

/** The shortest interval between two reports. */
const REPORT_EVERY_MS = 5_000

/** Stores the adaptive limits that changed by a tenth or more, for the health of the webhooks in the API. */
export function createLimitReporter(
  sql: Sql,
  limits: () => Iterable<{ webhookId: string; limit: number; isAdaptive: boolean }>,
): () => Promise<void> {
  let reported = new Map<string, number | null>()
  let reportedAtMs = performance.now()

  return async () => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return
    reportedAtMs = performance.now()
    const latest = new Map<string, number | null>()
    for (const { webhookId, limit, isAdaptive } of limits()) {
      const before = reported.get(webhookId)
      const isSimilar = before && isAdaptive && Math.abs(limit - before) < before / 10
      latest.set(webhookId, isSimilar ? before : isAdaptive ? limit : null)
    }
    const changed = [...latest].filter(([webhookId, limit]) => reported.get(webhookId) !== limit)
    if (changed.length > 0) await writeLimits(sql, changed)
    reported = latest
  }
}

/** In the order of the ids, so that processes cannot deadlock. A webhook with a fixed limit gets null. */
async function writeLimits(sql: Sql, limits: [string, number | null][]): Promise<void> {
  await sql.query({
    name: 'report_limits',
    text: `
      insert into posthorn.webhook_schedules as s (webhook_id, concurrency_limit)
      select w.id, given.max from unnest($1::uuid[], $2::int[]) as given (id, max)
      join posthorn.webhooks as w on w.id = given.id and w.deleted_at is null
      order by w.id
      on conflict (webhook_id) do update set concurrency_limit = excluded.concurrency_limit
        where s.concurrency_limit is distinct from excluded.concurrency_limit`,
    values: [limits.map(([webhookId]) => webhookId), limits.map(([, limit]) => limit)],
  })
}

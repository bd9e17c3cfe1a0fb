import { networkOf } from '../../lib/address-network.ts'
import { DomainError, rateLimited } from '../../lib/errors.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import type { Caller, Limits } from './scope.ts'

/** An API key has a separate rate limit for each budget. */
type Budget = 'requests' | 'events' | 'deliveries'

const RATES = {
  requests: 'requestsPerSecond',
  events: 'eventsPerSecond',
  deliveries: 'deliveriesPerSecond',
} as const satisfies Record<Budget, keyof Limits>

/** The use of an API key's rate limits by one request. */
export class Quota {
  readonly #use: RateLimiter
  /** The latest of each used budget. */
  readonly #results: RateLimitResult[] = []

  constructor(use: RateLimiter) {
    this.#use = use
  }

  /** Whether the request has used any budget. */
  get isUsed(): boolean {
    return this.#results.length > 0
  }

  /** Throws `rate_limited` if the budget is exhausted. An amount of 0 only checks. */
  spend({ keyId, limits }: Caller, budget: Budget, amount: number): void {
    const perSecond = limits[RATES[budget]]
    const result = this.#use(keyId, budget, amount, perSecond)
    this.#keep(result)
    if (result.granted) return
    describeRequest({ limit: budget })
    throw overLimit(result, perSecond)
  }

  /** Counts an amount that is known only afterwards. If it exceeds the budget, later requests wait for it. */
  charge({ keyId, limits }: Caller, budget: Budget, amount: number): void {
    this.#keep(this.#use(keyId, budget, amount, limits[RATES[budget]], true))
  }

  /** The rate-limit headers for the used budgets. */
  headers(): Record<string, string> {
    return rateLimitHeaders(this.#results)
  }

  #keep(result: RateLimitResult): void {
    let at = 0
    while (at < this.#results.length && this.#results[at]?.budget !== result.budget) at++
    this.#results[at] = result
  }
}

function overLimit({ budget, retryAfterSeconds }: RateLimitResult, perSecond: number) {
  const limit = `${perSecond.toLocaleString('en')} ${budget} per second`
  const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
  return rateLimited(
    `This API key has reached its limit of ${limit}. Nothing was done. Try again in ${retryAfterSeconds} ${seconds}.`,
    retryAfterSeconds,
  )
}

/**
 * The RateLimit-Policy and RateLimit headers of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/:
 * the quota `q` per window of `w` seconds, the remaining quota `r`, and the seconds `t` until all of it is available.
 */
export function rateLimitHeaders(results: readonly RateLimitResult[]): Record<string, string> {
  let policies = ''
  let states = ''
  for (const { budget, quota, remaining, resetSeconds } of results) {
    const name = policies === '' ? `"${budget}"` : `, "${budget}"`
    policies += `${name};q=${quota};w=${WINDOW_SECONDS}`
    states += `${name};r=${remaining};t=${resetSeconds}`
  }
  return results.length === 0 ? {} : { 'ratelimit-policy': policies, ratelimit: states }
}

/** The state of a budget after a call. */
interface RateLimitResult {
  readonly budget: Budget
  readonly granted: boolean
  /** The amount that an idle key may use at once. */
  readonly quota: number
  readonly remaining: number
  /** Until the whole quota is available. */
  readonly resetSeconds: number
  /** Until an amount of 1 is available; at least 1. */
  readonly retryAfterSeconds: number
}

/** The burst that is allowed, in seconds of the rate. */
const WINDOW_SECONDS = 10

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * Limits the rate of API keys, in this process only: consumes an amount of a key's budget of `perSecond` if 1 of it is left. A
 * large amount may exceed the budget, so that small ones cannot starve it; later calls wait for the excess. With `isLate`, the
 * amount was known only afterwards, and always counts. `now` is a monotonic clock in milliseconds.
 */
export function createRateLimiter(now = () => performance.now()) {
  const ofKeys = new LruMap<string, { [Name in Budget]?: Bucket }>({ maxEntries: 10_000 })
  return (
    keyId: string,
    budget: Budget,
    amount: number,
    perSecond: number,
    isLate = false,
  ): RateLimitResult => {
    let ofKey = ofKeys.get(keyId)
    if (ofKey === undefined) {
      ofKey = {}
      ofKeys.set(keyId, ofKey)
    }
    const quota = perSecond * WINDOW_SECONDS
    const bucket = drain(ofKey[budget], perSecond, now())
    ofKey[budget] = bucket
    const granted = isLate || bucket.level <= quota - 1
    if (granted) bucket.level += amount
    return {
      budget,
      granted,
      quota,
      remaining: Math.max(0, Math.floor(quota - bucket.level)),
      resetSeconds: Math.ceil(bucket.level / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((bucket.level - quota + 1) / perSecond)),
    }
  }
}

/** Counts a request with a key. Returns the seconds until the next one is allowed; 0 within the limit. */
type CountRequest = (key: string) => number

/** Limits requests by a key, in this process only. An idle key may use all of `perMinute` at once. */
export function createKeyedLimiter(perMinute: number, now = () => performance.now()): CountRequest {
  const buckets = new LruMap<string, Bucket>({ maxEntries: 10_000 })
  const perSecond = perMinute / 60
  return (key) => {
    const bucket = drain(buckets.get(key), perSecond, now())
    buckets.set(key, bucket)
    // Capped, so that requests over the limit do not extend the wait.
    bucket.level = Math.min(bucket.level + 1, perMinute + 1)
    return Math.ceil(Math.max(0, bucket.level - perMinute) / perSecond)
  }
}

/** Limits requests by client address, as `createKeyedLimiter` does. */
export function createAddressLimiter(perMinute: number, now?: () => number): CountRequest {
  const count = createKeyedLimiter(perMinute, now)
  return (address) => count(networkOf(address))
}

/** Failed authentications that one address may make in a burst, and per minute. */
export const MAX_AUTH_FAILURES = 20

/**
 * Counts the errors of failed authentications with `what`, and no others, so that one caller cannot lock out others who share
 * its address. Returns the error, or `rate_limited` for an address with too many of them, which does not depend on the
 * credential: a client that guesses learns nothing.
 */
export function createFailureCount(what: string, now?: () => number) {
  const failures = createAddressLimiter(MAX_AUTH_FAILURES, now)
  return (error: unknown, address: string | undefined): unknown => {
    const isFailure = error instanceof DomainError && error.code === 'unauthenticated'
    const waitSeconds = isFailure && address !== undefined ? failures(address) : 0
    if (waitSeconds === 0) return error
    describeRequest({ limit: 'failed_keys' })
    return rateLimited(
      `This address sent too many requests with ${what}. Check it, and try again in ${waitSeconds} seconds.`,
      waitSeconds,
    )
  }
}

/** A leaky bucket: usage fills it, and it drains at a steady rate. */
interface Bucket {
  level: number
  /** When the level was last updated. */
  atMs: number
}

/** The bucket as of now; a new one is empty. */
function drain(used: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const bucket = used ?? { level: 0, atMs: nowMs }
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1_000
  bucket.level = Math.max(0, bucket.level - elapsedSeconds * perSecond)
  bucket.atMs = nowMs
  return bucket
}

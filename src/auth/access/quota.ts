import { rateLimited } from '../../lib/errors.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import {
  type Budget,
  type RateLimiter,
  type RateLimitResult,
  WINDOW_SECONDS,
} from '../rate-limit/rate-limiter.ts'
import type { Caller } from './scope.ts'

/** The use of an API key's rate limits by one request. */
export interface Quota {
  /** Whether the request has used any budget. */
  readonly isUsed: boolean
  /** Throws `rate_limited` if the budget is exhausted. An amount of 0 only checks. */
  spend(caller: Caller, budget: Budget, amount: number): void
  /** Counts an amount that is known only afterwards. If it exceeds the budget, later requests wait for it. */
  charge(caller: Caller, budget: Budget, amount: number): void
  /** The rate-limit headers for the used budgets. */
  headers(): [string, string][]
}

export function createQuota(use: RateLimiter): Quota {
  const results = new Map<Budget, RateLimitResult>()
  return {
    get isUsed() {
      return results.size > 0
    },
    spend({ keyId, limits }, budget, amount) {
      const perSecond = limits[`${budget}PerSecond`]
      const result = use(keyId, budget, amount, perSecond)
      results.set(budget, result)
      if (result.granted) return
      describeRequest({ limit: budget })
      throw overLimit(result, perSecond)
    },
    charge({ keyId, limits }, budget, amount) {
      results.set(budget, use(keyId, budget, amount, limits[`${budget}PerSecond`], true))
    },
    headers: () => rateLimitHeaders([...results.values()]),
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
export function rateLimitHeaders(results: readonly RateLimitResult[]): [string, string][] {
  if (results.length === 0) return []
  const policy = ({ budget, quota }: RateLimitResult) =>
    `"${budget}";q=${quota};w=${WINDOW_SECONDS}`
  const state = ({ budget, remaining, resetSeconds }: RateLimitResult) =>
    `"${budget}";r=${remaining};t=${resetSeconds}`
  return [
    ['ratelimit-policy', results.map(policy).join(', ')],
    ['ratelimit', results.map(state).join(', ')],
  ]
}

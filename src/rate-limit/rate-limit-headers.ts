import { WINDOW_SECONDS } from './bucket.ts'
import type { RateLimitResult } from './rate-limiter.ts'

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

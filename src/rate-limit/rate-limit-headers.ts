import { WINDOW_SECONDS } from './bucket.ts'
import type { Allowance } from './rate-limiter.ts'

/**
 * What a caller is told of their limits, in the syntax of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/: what may be used in which time, how much of it
 * is left, and in how many seconds all of it is there again.
 */
export function rateLimitHeaders(allowances: readonly Allowance[]): [string, string][] {
  if (allowances.length === 0) return []
  const policy = ({ budget, quota }: Allowance) => `"${budget}";q=${quota};w=${WINDOW_SECONDS}`
  const left = ({ budget, remaining, resetSeconds }: Allowance) =>
    `"${budget}";r=${remaining};t=${resetSeconds}`
  return [
    ['ratelimit-policy', allowances.map(policy).join(', ')],
    ['ratelimit', allowances.map(left).join(', ')],
  ]
}

import { rateLimited } from '../lib/errors.ts'
import { rateLimitHeaders } from '../rate-limit/rate-limit-headers.ts'
import type { RateLimiter, RateLimitResult } from '../rate-limit/rate-limiter.ts'
import type { Budget } from '../rate-limit/sync-usage.ts'
import type { Caller } from './scope.ts'

/** What one request takes from the budgets of its key. */
export interface Quota {
  /** Whether anything was asked for. */
  readonly began: boolean
  /** Throws `rate_limited` when nothing is left. */
  spend(caller: Caller, budget: Budget, amount: number): void
  /** Tells of each budget that was asked for some. */
  headers(): [string, string][]
}

export function createQuota(limiter: RateLimiter): Quota {
  const results = new Map<Budget, RateLimitResult>()
  return {
    get began() {
      return results.size > 0
    },
    spend({ keyId, limits }, budget, amount) {
      const perSecond = limits[budget === 'events' ? 'eventsPerSecond' : 'requestsPerSecond']
      const result = limiter.consume(keyId, budget, amount, perSecond)
      results.set(budget, result)
      if (!result.granted) throw overLimit(result, perSecond)
    },
    headers: () => rateLimitHeaders([...results.values()]),
  }
}

function overLimit({ budget, retryAfterSeconds }: RateLimitResult, perSecond: number) {
  const limit = `${perSecond.toLocaleString('en')} ${budget} per second`
  const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
  return rateLimited(
    `This API key may ask for ${limit} on average, and has. Nothing was done; try again in ${retryAfterSeconds} ${seconds}.`,
    retryAfterSeconds,
  )
}

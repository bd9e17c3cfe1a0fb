import { rateLimited } from '../lib/errors.ts'
import { rateLimitHeaders } from '../rate-limit/rate-limit-headers.ts'
import type { Allowance, RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Budget } from '../rate-limit/share-use.ts'
import type { Caller } from './scope.ts'

/** The use of an API key's rate limits by one request. */
export interface Quota {
  /** Whether the request has used any budget. */
  readonly isUsed: boolean
  /** Throws `rate_limited` if the budget is exhausted. */
  spend(caller: Caller, budget: Budget, amount: number): void
  /** The rate-limit headers for the used budgets. */
  headers(): [string, string][]
}

export function createQuota(limiter: RateLimiter): Quota {
  const allowances = new Map<Budget, Allowance>()
  return {
    get isUsed() {
      return allowances.size > 0
    },
    spend({ keyId, limits }, budget, amount) {
      const perSecond = limits[budget === 'events' ? 'eventsPerSecond' : 'requestsPerSecond']
      const allowance = limiter.take(keyId, budget, amount, perSecond)
      allowances.set(budget, allowance)
      if (!allowance.granted) throw overLimit(allowance, perSecond)
    },
    headers: () => rateLimitHeaders([...allowances.values()]),
  }
}

function overLimit({ budget, retryAfterSeconds }: Allowance, perSecond: number) {
  const limit = `${perSecond.toLocaleString('en')} ${budget} per second`
  const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
  return rateLimited(
    `This API key has reached its limit of ${limit}. Nothing was done. Try again in ${retryAfterSeconds} ${seconds}.`,
    retryAfterSeconds,
  )
}

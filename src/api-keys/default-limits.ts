import type { Limits } from '../access/scope.ts'

/**
 * Requests: more than a normal client sends, and about a tenth of what one process answers, so that one key cannot use
 * a whole process. Events: more than one Postgres stores for long, so that only a runaway client reaches the limit.
 * Deliveries: more than one worker delivers; an event for ten webhooks reaches the limit a thousand times a second.
 * Publishing counts as events and deliveries only.
 */
export const DEFAULT_LIMITS: Limits = {
  requestsPerSecond: 500,
  eventsPerSecond: 50_000,
  deliveriesPerSecond: 10_000,
}

/** The limits of a key as input. Null or missing: the default. */
export type LimitsInput = { readonly [name in keyof Limits]?: number | null }

export function resolveLimits(input: LimitsInput): Limits {
  return {
    requestsPerSecond: input.requestsPerSecond ?? DEFAULT_LIMITS.requestsPerSecond,
    eventsPerSecond: input.eventsPerSecond ?? DEFAULT_LIMITS.eventsPerSecond,
    deliveriesPerSecond: input.deliveriesPerSecond ?? DEFAULT_LIMITS.deliveriesPerSecond,
  }
}

import { z } from 'zod'
import { type Caller, hasScope, type Limits } from '../access/scope.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'

/**
 * Far more than any page or program of one caller asks for, and about a tenth of what one process answers, so that one
 * key alone cannot take it all; of events, more than one Postgres stores for long, so that nobody meets it but by
 * accident. Publishing counts as events only.
 */
export const DEFAULT_LIMITS: Limits = { requestsPerSecond: 500, eventsPerSecond: 50_000 }

export const MAX_PER_SECOND = 1_000_000

/** What was given for a key. Null or missing: the default. */
export type LimitsInput = { readonly [name in keyof Limits]?: number | null }

export function resolveLimits(given: LimitsInput): Limits {
  return {
    requestsPerSecond: given.requestsPerSecond ?? DEFAULT_LIMITS.requestsPerSecond,
    eventsPerSecond: given.eventsPerSecond ?? DEFAULT_LIMITS.eventsPerSecond,
  }
}

const perSecond = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(MAX_PER_SECOND, `must be at most ${MAX_PER_SECOND.toLocaleString('en')}`)
  .nullish()
const limitsRule = z.object({ requestsPerSecond: perSecond, eventsPerSecond: perSecond })

/** What is wrong with limits that somebody gives to a key: nobody gives more than they have themselves. */
function limitIssues(given: LimitsInput, grantedBy?: Caller): FieldIssue[] {
  const { issues } = checkInput(limitsRule, given)
  if (issues.length > 0 || !grantedBy || hasScope(grantedBy, 'admin')) return issues
  const wanted = resolveLimits(given)
  return (Object.keys(DEFAULT_LIMITS) as (keyof Limits)[])
    .filter((name) => given[name] !== undefined && wanted[name] > grantedBy.limits[name])
    .map((name) => ({
      path: [name],
      code: 'limit_not_held',
      detail: `${name} must be at most ${grantedBy.limits[name].toLocaleString('en')}, which the API key in use has itself. Give less, or use a key with the scope admin.`,
    }))
}

/** Throws `invalid` for limits that cannot be given. */
export function requireLimits(given: LimitsInput, grantedBy?: Caller): void {
  const issues = limitIssues(given, grantedBy)
  if (issues.length > 0) throw invalid(issues)
}

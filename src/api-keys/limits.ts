import { z } from 'zod'
import { type Caller, hasScope, type Limits } from '../access/scope.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'
import { DEFAULT_LIMITS, type LimitsInput, resolveLimits } from './default-limits.ts'

export const MAX_PER_SECOND = 1_000_000

const perSecond = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(MAX_PER_SECOND, `must be at most ${MAX_PER_SECOND.toLocaleString('en')}`)
  .nullish()
export const limitsRule = z.object({
  requestsPerSecond: perSecond,
  eventsPerSecond: perSecond,
  deliveriesPerSecond: perSecond,
})

/** The issues of a key's limits. A caller cannot grant more than their own limits. */
function limitIssues(input: LimitsInput, grantedBy: Caller | null): FieldIssue[] {
  const { issues } = checkInput(limitsRule, input)
  if (issues.length > 0 || !grantedBy || hasScope(grantedBy, 'admin')) return issues
  const limits = resolveLimits(input)
  return (Object.keys(DEFAULT_LIMITS) as (keyof Limits)[])
    .filter((name) => input[name] !== undefined && limits[name] > grantedBy.limits[name])
    .map((name) => ({
      path: [name],
      code: 'limit_not_held',
      detail: `${name} must be at most ${grantedBy.limits[name].toLocaleString('en')}, the limit of the API key in use. Set a lower limit, or use a key with the scope admin.`,
    }))
}

/** Throws `invalid` for limits out of bounds, or above those of `grantedBy`. */
export function requireLimits(input: LimitsInput, grantedBy: Caller | null): void {
  const issues = limitIssues(input, grantedBy)
  if (issues.length > 0) throw invalid(issues)
}

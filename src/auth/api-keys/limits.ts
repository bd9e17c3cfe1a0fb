import { z } from 'zod'
import { invalid } from '../../lib/errors.ts'
import { checkInput } from '../../lib/validation.ts'
import { type Caller, hasScope, type Limits } from '../access/scope.ts'

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

const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]

/** The limits of a key as input. Null or missing: the default. */
export type LimitsInput = { readonly [name in keyof Limits]?: number | null | undefined }

/** The given limits alone, as an update stores them. */
export function givenLimits(input: LimitsInput) {
  const given = NAMES.filter((name) => input[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, input[name]])) as {
    [name in keyof Limits]?: number | null
  }
}

export function resolveLimits(input: LimitsInput): Limits {
  const limits = NAMES.map((name) => [name, input[name] ?? DEFAULT_LIMITS[name]])
  return Object.fromEntries(limits) as unknown as Limits
}

export const MAX_PER_SECOND = 1_000_000

const perSecond = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(MAX_PER_SECOND, `must be at most ${MAX_PER_SECOND.toLocaleString('en')}`)
  .nullish()
const limitsRule = z.partialRecord(z.enum(NAMES), perSecond)

/** Throws `invalid` for limits out of bounds, or above those of `grantedBy`, who cannot grant more. */
export function requireLimits(input: LimitsInput, grantedBy: Caller | null): void {
  const { issues } = checkInput(limitsRule, givenLimits(input))
  if (issues.length > 0) throw invalid(issues)
  if (!grantedBy || hasScope(grantedBy, 'admin')) return
  const limits = resolveLimits(input)
  const above = NAMES.filter(
    (name) => input[name] !== undefined && limits[name] > grantedBy.limits[name],
  )
  if (above.length === 0) return
  throw invalid(
    above.map((name) => ({
      path: [name],
      code: 'limit_not_held',
      detail: `${name} must be at most ${grantedBy.limits[name].toLocaleString('en')}, the limit of the API key in use. Set a lower limit, or use a key with the scope admin.`,
    })),
  )
}

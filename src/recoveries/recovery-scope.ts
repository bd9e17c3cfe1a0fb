import { type FieldIssue, invalid } from '../lib/errors.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

export type RecoveryInclude = 'failed' | 'missed' | 'all'

/** The events to recover: those published from `since` on and before `until`. */
export interface RecoveryScope {
  readonly include: RecoveryInclude
  readonly since: Date
  readonly until: Date
}

export interface RecoveryOptions extends RecoveryScope {
  readonly ratePerSecond: number
}

/** The input of a caller. A missing or null field has its default. */
export interface RecoveryInput {
  readonly since: Date
  readonly until?: Date | null | undefined
  readonly include?: RecoveryInclude | null | undefined
  readonly ratePerSecond?: number | null | undefined
}

export const MAX_RATE_PER_SECOND = 5_000
export const DEFAULT_RATE_PER_SECOND = 500

/** Fills in the defaults. Throws `invalid` with every violated rule. */
export function parseRecovery(
  { since, until, include, ratePerSecond }: RecoveryInput,
  retentionMs: number,
  now = new Date(),
): RecoveryOptions {
  const end = new Date(Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime()))
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  const issues = [...rangeIssues(since, end, retentionMs, now), ...rateIssues(rate)]
  if (issues.length > 0) throw invalid(issues)
  return { since, until: end, include: include ?? 'all', ratePerSecond: rate }
}

/**
 * A lower bound for the delivery ids of an event: its deliveries are created after the event, by its transaction or by
 * a later recovery. The minute allows for a clock that is set back in between.
 */
export function firstDeliveryUuidOf(eventTime: Date): string {
  return lowerBoundAt(new Date(eventTime.getTime() - MINUTE_MS))
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

function rangeIssues(since: Date, until: Date, retentionMs: number, now: Date): FieldIssue[] {
  // Retention drops whole days, so the events of the oldest day still exist.
  const oldestKept = new Date(Math.floor((now.getTime() - retentionMs) / DAY_MS) * DAY_MS)
  if (since < oldestKept) {
    const days = (retentionMs / DAY_MS).toLocaleString('en', { maximumFractionDigits: 1 })
    const detail = `since must be ${oldestKept.toISOString()} or later, not ${since.toISOString()}: events are kept for ${days} days (POSTHORN_RETENTION).`
    return [{ path: ['since'], code: 'past_retention', detail }]
  }
  if (since < until) return []
  const detail = `since must be before until and before now. since is ${since.toISOString()}, until is ${until.toISOString()}.`
  return [{ path: ['since'], code: 'invalid_range', detail }]
}

function rateIssues(rate: number): FieldIssue[] {
  if (rate >= 1 && rate <= MAX_RATE_PER_SECOND) return []
  const detail = `ratePerSecond must be from 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}, not ${rate}.`
  return [{ path: ['ratePerSecond'], code: 'out_of_range', detail }]
}

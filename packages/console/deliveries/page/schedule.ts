import type { AttemptStepFragment, DeliveryQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** What one line has room for. */
const MADE = 10
const PLANNED = 10

/** An attempt on the line, with the time since the one before it. */
interface Made {
  readonly id: string
  readonly number: number
  readonly startedAt: string
  readonly succeeded: boolean
  /** The status, or that there was no response. */
  readonly result: string
  readonly gapMs: number | null
}

interface Planned {
  readonly number: number
  readonly at: string
  readonly gapMs: number | null
}

interface Schedule {
  readonly made: readonly Made[]
  readonly planned: readonly Planned[]
  /** The attempts before those on the line. */
  readonly hidden: number
  /** The planned attempts after those on the line. */
  readonly more: number
}

/** The newest attempts of a delivery and the next planned ones. `attempts` are oldest first. */
export function scheduleOf(
  { attemptCount, plannedAttempts }: Pick<Delivery, 'attemptCount' | 'plannedAttempts'>,
  attempts: readonly AttemptStepFragment[],
): Schedule {
  const shown = attempts.slice(-MADE)
  const made = shown.map(({ id, number, startedAt, succeeded, status }, i) => ({
    id,
    number,
    startedAt,
    succeeded,
    result: status == null ? t('No response') : String(status),
    gapMs: gapBetween(shown[i - 1]?.startedAt, startedAt),
  }))
  const planned = plannedAttempts.slice(0, PLANNED).map((at, i) => ({
    number: attemptCount + 1 + i,
    at,
    gapMs: gapBetween(i === 0 ? shown.at(-1)?.startedAt : plannedAttempts[i - 1], at),
  }))
  return {
    made,
    planned,
    hidden: Math.max(0, attemptCount - made.length),
    more: plannedAttempts.length - planned.length,
  }
}

function gapBetween(from: string | undefined, to: string): number | null {
  return from === undefined ? null : Math.max(0, Date.parse(to) - Date.parse(from))
}

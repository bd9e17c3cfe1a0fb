import { CAUSES } from '../../../deliveries/list/response-filter.ts'
import type { FailureCausesQuery } from '../../../generated/graphql.ts'
import { t } from '../../../language/t.ts'
import type { Bar } from './fold-buckets.ts'
import { STATUS_CLASSES, type StatusClassSeries } from './status-classes.ts'

/** One part of every bar. */
export interface Stack {
  readonly key: string
  readonly label: string
  readonly color: string
  /** Tells the parts apart without color. */
  readonly pattern: StatusClassSeries['pattern']
  /** For each bar. */
  readonly counts: readonly number[]
  /** The filters of the page of attempts that list exactly these attempts. */
  readonly filters: Readonly<Record<string, string>>
}

/** Attempts by class of response, from the bottom of a bar to its top. */
export function statusStacks(bars: readonly Bar[]): Stack[] {
  return STATUS_CLASSES.map(({ field, filter, ...series }) => ({
    ...series,
    key: field,
    counts: bars.map((bar) => bar[field]),
    filters: { status: filter },
  }))
}

type Causes = NonNullable<FailureCausesQuery['failureCauses']>['buckets']

/** As many causes have a part of their own; the others share one. */
const MOST_CAUSES = 7
const PATTERNS = ['solid', 'stripes', 'dots', 'grid'] as const

/** Failures by cause, the most frequent at the bottom. */
export function causeStacks(bars: readonly Bar[], causes: Causes): Stack[] {
  const byCause = Map.groupBy(causes, ({ cause }) => cause)
  const totals = [...byCause].map(
    ([cause, buckets]) => [cause, buckets.reduce((sum, { count }) => sum + count, 0)] as const,
  )
  const ranked = totals
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .map(([cause]) => cause)
  const seen = new Map<string, number>()
  const own = ranked.slice(0, MOST_CAUSES).map((cause) => {
    const color = colorOf(cause)
    const before = seen.get(color) ?? 0
    seen.set(color, before + 1)
    return {
      key: cause,
      label: CAUSES.find(({ value }) => value === cause)?.label ?? cause,
      color,
      pattern: PATTERNS[before % PATTERNS.length] ?? 'solid',
      counts: countsIn(bars, byCause.get(cause) ?? []),
      filters: { cause },
    }
  })
  const others = ranked.slice(MOST_CAUSES)
  if (others.length === 0) return own
  return [
    ...own,
    {
      key: 'others',
      label: t('{count, plural, one {# other} other {# others}}', { count: others.length }),
      color: 'var(--posthorn-mark-gray)',
      pattern: 'solid',
      counts: countsIn(
        bars,
        others.flatMap((cause) => byCause.get(cause) ?? []),
      ),
      filters: { cause: others.join(',') },
    },
  ]
}

/** The color of the class that the cause belongs to. */
function colorOf(cause: string): string {
  const [first] = cause
  const known = /^\d{3}$/.test(cause) && '345'.includes(first ?? '')
  return `var(--posthorn-chart-${known ? `${first}xx` : 'none'})`
}

function countsIn(bars: readonly Bar[], buckets: Causes): number[] {
  return bars.map(({ start, end }) => {
    const [from, to] = [Date.parse(start), Date.parse(end)]
    return buckets.reduce((sum, bucket) => {
      const at = Date.parse(bucket.start)
      return at >= from && at < to ? sum + bucket.count : sum
    }, 0)
  })
}

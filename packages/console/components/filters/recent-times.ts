import { key } from '../../language/t.ts'

const HOUR_MS = 3_600_000

/** Time ranges that end now. */
export const RECENT_TIMES = [
  { value: '1h', label: key('Last hour'), ms: HOUR_MS },
  { value: '24h', label: key('Last 24 hours'), ms: 24 * HOUR_MS },
  { value: '7d', label: key('Last 7 days'), ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: key('Last 30 days'), ms: 30 * 24 * HOUR_MS },
] as const

interface RecentTime {
  readonly value: string
  readonly label: string
  /** When the range starts, for a reader at this time. */
  startOf(now: Date): Date
}

/** The same for filters of lists, with shorter ones. `today` starts at midnight in the reader's zone. */
export const FILTER_TIMES: readonly RecentTime[] = [
  { value: '15m', label: key('Last 15 minutes'), startOf: (now) => before(now, HOUR_MS / 4) },
  recent(RECENT_TIMES[0]),
  {
    value: 'today',
    label: key('Today'),
    startOf: (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate()),
  },
  ...RECENT_TIMES.slice(1).map(recent),
]

function recent({ value, label, ms }: (typeof RECENT_TIMES)[number]): RecentTime {
  return { value, label, startOf: (now) => before(now, ms) }
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}

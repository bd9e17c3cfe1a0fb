import { key } from '../../language/t.ts'

const HOUR_MS = 3_600_000

/** Time ranges that end now. */
export const RECENT_TIMES = [
  { value: '1h', label: key('Last hour'), ms: HOUR_MS },
  { value: '24h', label: key('Last 24 hours'), ms: 24 * HOUR_MS },
  { value: '7d', label: key('Last 7 days'), ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: key('Last 30 days'), ms: 30 * 24 * HOUR_MS },
] as const

const TODAY = { value: 'today', label: key('Today'), ms: 0 }

/** The same for filters of lists, with shorter ones. */
export const FILTER_TIMES = [
  { value: '15m', label: key('Last 15 minutes'), ms: HOUR_MS / 4 },
  RECENT_TIMES[0],
  TODAY,
  ...RECENT_TIMES.slice(1),
]

type RecentTime = (typeof FILTER_TIMES)[number]

export function recentTime(value: string | null | undefined): RecentTime | undefined {
  return FILTER_TIMES.find((time) => time.value === value)
}

/** When a range starts that ends now. Today starts at midnight in the reader's zone. */
export function startOf(time: RecentTime): Date {
  return time === TODAY ? new Date(new Date().setHours(0, 0, 0, 0)) : new Date(Date.now() - time.ms)
}

import { key } from '../../language/t.ts'

const HOUR_MS = 3_600_000
const TODAY = { value: 'today', label: key('Today'), ms: 0 }

/** Time ranges that end now. */
export const RECENT_TIMES = [
  { value: '15m', label: key('Last 15 minutes'), ms: HOUR_MS / 4 },
  { value: '1h', label: key('Last hour'), ms: HOUR_MS },
  TODAY,
  { value: '24h', label: key('Last 24 hours'), ms: 24 * HOUR_MS },
  { value: '7d', label: key('Last 7 days'), ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: key('Last 30 days'), ms: 30 * 24 * HOUR_MS },
]

/** When a range starts. Today starts at midnight in the reader's zone. */
export function startOf(time: (typeof RECENT_TIMES)[number]): Date {
  return time === TODAY ? new Date(new Date().setHours(0, 0, 0, 0)) : new Date(Date.now() - time.ms)
}

import { t } from '../../strings/t.ts'

const HOUR_MS = 3_600_000

/** Time ranges that end now. */
export const RECENT_TIMES = [
  { value: '1h', label: t('filters:time.1h'), ms: HOUR_MS },
  { value: '24h', label: t('filters:time.24h'), ms: 24 * HOUR_MS },
  { value: '7d', label: t('filters:time.7d'), ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: t('filters:time.30d'), ms: 30 * 24 * HOUR_MS },
] as const

interface RecentTime {
  readonly value: string
  readonly label: string
  /** When the range starts, for a reader at this time. */
  startOf(now: Date): Date
}

/** The same for filters of lists, with shorter ones. `today` starts at midnight in the reader's zone. */
export const FILTER_TIMES: readonly RecentTime[] = [
  { value: '15m', label: t('filters:time.15m'), startOf: (now) => before(now, HOUR_MS / 4) },
  recent(RECENT_TIMES[0]),
  {
    value: 'today',
    label: t('filters:time.today'),
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

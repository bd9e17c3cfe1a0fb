import { optionsOf } from '../../components/filters/filter-params.ts'
import type { AttemptFilter, StatusClass } from '../../generated/graphql.ts'
import { key } from '../../language/t.ts'
import { causeLabel, ERROR_CODES } from './cause-labels.ts'

/** Options for a select. */
export const RESPONSES = optionsOf<StatusClass | 'FAILED'>({
  FAILED: 'Any failure',
  SUCCESS_2XX: '2xx: succeeded',
  REDIRECTION_3XX: '3xx: redirected',
  CLIENT_ERROR_4XX: '4xx: rejected',
  SERVER_ERROR_5XX: '5xx: failed',
  NO_RESPONSE: key('No response'),
})

const FAILURES: readonly StatusClass[] = [
  'REDIRECTION_3XX',
  'CLIENT_ERROR_4XX',
  'SERVER_ERROR_5XX',
  'NO_RESPONSE',
]

/** The condition on attempts, or on the last attempts of deliveries: any of these responses. Empty for none. */
export function responseFilter(
  values: readonly (typeof RESPONSES)[number]['value'][],
): Pick<AttemptFilter, 'statusClasses'> {
  const classes = values.filter((value) => value !== 'FAILED')
  if (classes.length === values.length) return classes.length > 0 ? { statusClasses: classes } : {}
  return classes.includes('SUCCESS_2XX') ? {} : { statusClasses: [...FAILURES] }
}

/** Durations of slow attempts, in milliseconds. */
export const DURATIONS = optionsOf({
  1000: '1 s or more',
  5000: '5 s or more',
  10000: '10 s or more',
})

export function readDuration(value: string | null): { minDurationMs?: number } {
  return DURATIONS.some((duration) => duration.value === value)
    ? { minDurationMs: Number(value) }
    : {}
}

const STATUSES = [
  '400',
  '401',
  '403',
  '404',
  '408',
  '410',
  '413',
  '422',
  '429',
  '500',
  '502',
  '503',
  '504',
]

/** Causes to choose from: usual statuses, and all errors without a response. */
export const CAUSES = [
  ...STATUSES.map((value) => ({ value, label: value })),
  ...ERROR_CODES.map((value) => ({
    value,
    get label() {
      return causeLabel(value)
    },
  })),
]

/** Any status can be typed. */
export function causeOf(text: string): string | null {
  return /^[1-9]\d\d$/.test(text) ? text : null
}

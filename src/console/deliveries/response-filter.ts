import { optionsOf } from '../components/filters/list-param.ts'
import type { AttemptFilter, StatusClass } from '../generated/graphql.ts'

/** Options for a select. */
export const RESPONSES = optionsOf<StatusClass | 'FAILED'>({
  FAILED: 'Any failure',
  SUCCESS_2XX: '2xx: succeeded',
  REDIRECTION_3XX: '3xx: redirected',
  CLIENT_ERROR_4XX: '4xx: rejected',
  SERVER_ERROR_5XX: '5xx: failed',
  NO_RESPONSE: 'No response',
})

/** The condition on attempts, or on the last attempts of deliveries: any of these responses. Empty for none. */
export function responseFilter(
  values: readonly (typeof RESPONSES)[number]['value'][],
): Pick<AttemptFilter, 'outcome' | 'statusClasses'> {
  const classes = values.filter((value) => value !== 'FAILED')
  if (classes.length === values.length) return classes.length > 0 ? { statusClasses: classes } : {}
  return classes.includes('SUCCESS_2XX') ? {} : { outcome: 'FAILED' }
}

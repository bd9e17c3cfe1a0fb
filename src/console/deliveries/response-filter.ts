import type { AttemptFilter, StatusClass } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

const FAILURES: readonly StatusClass[] = [
  'REDIRECTION_3XX',
  'CLIENT_ERROR_4XX',
  'SERVER_ERROR_5XX',
  'NO_RESPONSE',
]

/** Options for a select. */
export const RESPONSES = (['FAILED', 'SUCCESS_2XX', ...FAILURES] as const).map((value) => ({
  value,
  label: t(`filters:responses.${value}`),
}))

/** The condition on attempts, or on the last attempts of deliveries: any of these responses. Empty for none. */
export function responseFilter(
  values: readonly (typeof RESPONSES)[number]['value'][],
): Pick<AttemptFilter, 'statusClasses'> {
  const classes = values.filter((value) => value !== 'FAILED')
  if (classes.length === values.length) return classes.length > 0 ? { statusClasses: classes } : {}
  return classes.includes('SUCCESS_2XX') ? {} : { statusClasses: [...FAILURES] }
}

import type { AttemptFilter, Outcome, StatusClass } from '../generated/graphql.ts'

const OUTCOMES: readonly { value: Outcome; label: string }[] = [
  { value: 'FAILED', label: 'Any failure' },
]

const STATUS_CLASSES: readonly { value: StatusClass; label: string }[] = [
  { value: 'SUCCESS_2XX', label: '2xx: succeeded' },
  { value: 'REDIRECTION_3XX', label: '3xx: redirected' },
  { value: 'CLIENT_ERROR_4XX', label: '4xx: rejected' },
  { value: 'SERVER_ERROR_5XX', label: '5xx: failed' },
  { value: 'NO_RESPONSE', label: 'No response' },
]

/** Options for a select. */
export const RESPONSES = [...OUTCOMES, ...STATUS_CLASSES]

/** The condition of an option on attempts, or on the last attempts of deliveries. Empty for an unknown option. */
export function responseFilter(
  option: string | null,
): Pick<AttemptFilter, 'outcome' | 'statusClasses'> {
  const outcome = OUTCOMES.find(({ value }) => value === option)
  if (outcome) return { outcome: outcome.value }
  const statusClass = STATUS_CLASSES.find(({ value }) => value === option)
  return statusClass ? { statusClasses: [statusClass.value] } : {}
}

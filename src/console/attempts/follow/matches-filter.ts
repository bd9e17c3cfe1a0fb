import type { AttemptFilter, AttemptRowFragment, StatusClass } from '../../generated/graphql.ts'

type Attempt = Pick<
  AttemptRowFragment,
  'webhookId' | 'succeeded' | 'status' | 'errorCode' | 'durationMs'
>

/** Whether the list with this filter has the attempt, whatever its time. */
export function matchesFilter(attempt: Attempt, filter: AttemptFilter): boolean {
  const { webhookIds, statusClasses, causes, minDurationMs } = filter
  return (
    (!webhookIds || webhookIds.includes(attempt.webhookId)) &&
    (!statusClasses || statusClasses.includes(classOf(attempt))) &&
    (!causes || causes.includes(causeOf(attempt))) &&
    attempt.durationMs >= (minDurationMs ?? 0)
  )
}

const CLASSES: readonly StatusClass[] = ['SUCCESS_2XX', 'REDIRECTION_3XX', 'CLIENT_ERROR_4XX']

/** Statuses that no standard knows count as 5xx. */
function classOf({ status }: Attempt): StatusClass {
  if (status == null) return 'NO_RESPONSE'
  return CLASSES[Math.floor(status / 100) - 2] ?? 'SERVER_ERROR_5XX'
}

/** Empty for an attempt that succeeded. */
function causeOf({ succeeded, status, errorCode }: Attempt): string {
  return succeeded ? '' : String(status ?? errorCode)
}

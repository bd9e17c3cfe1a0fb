import type { CombinedError } from 'urql'
import { t } from '../language/t.ts'

/** Why a request failed. `isUnreachable`: Posthorn or its database could not be reached, so a retry may help. */
export function describeError(error: CombinedError | undefined) {
  const errors = error?.graphQLErrors ?? []
  const unavailable = errors.find(({ extensions }) => extensions['code'] === 'UNAVAILABLE')
  if (unavailable) return { message: unavailable.message, isUnreachable: true }
  const status = (error?.response as Response | undefined)?.status ?? 0
  if (error?.networkError || status >= 502) {
    return { message: t('Posthorn is unreachable.'), isUnreachable: true }
  }
  return { message: errors.map(({ message }) => message).join(' '), isUnreachable: false }
}

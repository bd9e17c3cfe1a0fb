import type { CombinedError } from 'urql'
import { t } from '../language/t.ts'

/** Why a request failed, and whether a retry may help. */
interface RequestError {
  readonly message: string
  /** Posthorn or its database could not be reached. */
  readonly isUnreachable: boolean
}

export function describeError(error: CombinedError): RequestError {
  const unavailable = error.graphQLErrors.find(
    ({ extensions }) => extensions['code'] === 'UNAVAILABLE',
  )
  if (unavailable) return { message: unavailable.message, isUnreachable: true }
  const status = (error.response as Response | undefined)?.status ?? 0
  if (error.networkError || status >= 502) {
    return { message: t('Posthorn is unreachable.'), isUnreachable: true }
  }
  return {
    message: error.graphQLErrors.map(({ message }) => message).join(' '),
    isUnreachable: false,
  }
}

import type { CombinedError } from 'urql'

/** What went wrong with a call, and whether trying again by itself may help. */
export interface Problem {
  readonly message: string
  /** The server could not be reached, or could not reach Postgres. */
  readonly isAway: boolean
}

export function problemOf(error: CombinedError): Problem {
  const codes = error.graphQLErrors.map(({ extensions }) => extensions['code'])
  const status = (error.response as Response | undefined)?.status ?? 0
  if (codes.includes('UNAVAILABLE') || status >= 502) {
    return { message: 'The database cannot be reached at the moment.', isAway: true }
  }
  if (error.networkError) {
    return { message: 'Posthorn cannot be reached at the moment.', isAway: true }
  }
  return { message: error.graphQLErrors.map(({ message }) => message).join(' '), isAway: false }
}

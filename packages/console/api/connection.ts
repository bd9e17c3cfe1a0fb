import { useSyncExternalStore } from 'react'
import type { CombinedError } from 'urql'
import { describeError } from './request-error.ts'

/** What the last requests have shown of the server and of the session. */
interface Connection {
  /** The time of the last answer, and so of the data on the page, while the server is unreachable. Otherwise null. */
  readonly unreachableSince: Date | null
  /** Why the session has ended. Null while it lasts. */
  readonly endedBecause: string | null
}

let connection: Connection = { unreachableSince: null, endedBecause: null }
let lastAnswerAt = new Date()
const listeners = new Set<() => void>()

function change(changes: Partial<Connection>): void {
  connection = { ...connection, ...changes }
  for (const listen of listeners) listen()
}

/** Notes the outcome of a request. */
export function noteOutcome(error: CombinedError | undefined): void {
  const { isUnreachable } = describeError(error)
  if (!isUnreachable) lastAnswerAt = new Date()
  if (isUnreachable !== (connection.unreachableSince !== null)) {
    change({ unreachableSince: isUnreachable ? lastAnswerAt : null })
  }
  const end = error?.graphQLErrors.find(
    ({ extensions }) => extensions['code'] === 'UNAUTHENTICATED',
  )
  if (end && connection.endedBecause === null) change({ endedBecause: end.message })
}

/** Notes that another session goes on. */
export function noteRenewal(): void {
  change({ endedBecause: null })
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => connection,
  )
}

export const useUnreachableSince = () => useConnection().unreachableSince

import { useSyncExternalStore } from 'react'

/** Since when requests fail because the server or its database is unreachable. Null while they arrive. */
let unreachableSince: Date | null = null
let lastAnswerAt = new Date()
const listeners = new Set<() => void>()

/** Notes the outcome of a request. */
export function noteReachability(isUnreachable: boolean): void {
  const was = unreachableSince
  if (isUnreachable) unreachableSince ??= lastAnswerAt
  else {
    lastAnswerAt = new Date()
    unreachableSince = null
  }
  if (was !== unreachableSince) for (const listen of listeners) listen()
}

/** The time of the last answer while the server is unreachable: the time of the data on the page. Otherwise null. */
export function useUnreachableSince(): Date | null {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => unreachableSince,
  )
}

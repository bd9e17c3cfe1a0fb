interface Abortable {
  abort(): void
}

const members = new WeakMap<AbortSignal, Set<Abortable>>()

/**
 * Those that a signal aborts; add to it, and delete what has ended. All requests of a worker share one signal, whose
 * listeners are a list that is walked for each that is added or removed, so it has one.
 */
export function abortedBy(signal: AbortSignal): Set<Abortable> {
  const known = members.get(signal)
  if (known) return known
  const together = new Set<Abortable>()
  members.set(signal, together)
  signal.addEventListener('abort', () => {
    for (const member of together) member.abort()
  })
  return together
}

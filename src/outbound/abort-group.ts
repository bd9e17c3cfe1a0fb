interface Abortable {
  abort(): void
}

const groups = new WeakMap<AbortSignal, Set<Abortable>>()

/**
 * The requests that a signal aborts: add a request when it starts and delete it when it ends. All requests of a
 * worker share one signal, and an `AbortSignal` searches its whole list of listeners whenever one is added or removed;
 * so each group has a single listener.
 */
export function abortGroup(signal: AbortSignal): Set<Abortable> {
  const known = groups.get(signal)
  if (known) return known
  const group = new Set<Abortable>()
  groups.set(signal, group)
  signal.addEventListener('abort', () => {
    for (const request of group) request.abort()
  })
  return group
}

let onPopState: ((event: PopStateEvent) => void) | null = null

/** Call this before the router starts: listeners run in order, and the first can stop the event. */
export function installHistoryGuard(): void {
  addEventListener('popstate', (event) => onPopState?.(event))
}

/**
 * Asks before the browser's Back or Forward leaves the page. The URL has changed when `popstate` fires, so the guard
 * restores it; the router does not see the event and keeps showing the page. Returns a function that removes the
 * guard.
 */
export function guardHistory(ask: (go: () => void) => void): () => void {
  const { pathname } = location
  const here = indexOf(history.state)
  onPopState = (event) => {
    const there = indexOf(event.state)
    if (here === null || there === null) return
    if (there !== here && location.pathname === pathname) return
    event.stopImmediatePropagation()
    if (there === here) return
    history.go(here - there)
    ask(() => {
      onPopState = null
      history.go(there - here)
    })
  }
  return () => {
    onPopState = null
  }
}

/** The index of a history entry in the router's stack; null for an entry that the router did not create. */
function indexOf(state: { idx?: unknown } | null): number | null {
  return typeof state?.idx === 'number' ? state.idx : null
}

type Go = () => void

let ask: ((go: Go) => void) | null = null

/** Navigates, after asking the reader if unsaved changes would be lost. */
export function navigateWithGuard(go: Go): void {
  if (ask) ask(go)
  else go()
}

/** Sets the function that asks before navigation. Returns a function that removes it. */
export function guardNavigation(askBefore: (go: Go) => void): () => void {
  ask = askBefore
  return () => {
    ask = null
  }
}

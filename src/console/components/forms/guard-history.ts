let hold: ((event: PopStateEvent) => void) | null = null

/** To be called before the router listens: of several, the first is told first, and may keep it from the others. */
export function watchHistory(): void {
  addEventListener('popstate', (event) => hold?.(event))
}

/**
 * Asks before Back or Forward of the browser leave the page. By the time that one hears of it the address has changed, so
 * it is put back, and the router, which has not heard, shows the page all the while. Answers what ends it.
 */
export function guardHistory(ask: (go: () => void) => void): () => void {
  const { pathname } = location
  const here = indexOf(history.state)
  hold = (event) => {
    const there = indexOf(event.state)
    if (here === null || there === null) return
    if (there !== here && location.pathname === pathname) return
    event.stopImmediatePropagation()
    if (there === here) return
    history.go(here - there)
    ask(() => {
      hold = null
      history.go(there - here)
    })
  }
  return () => {
    hold = null
  }
}

/** Where an entry stands among those of the router; null for one that is not its own. */
function indexOf(state: { idx?: unknown } | null): number | null {
  return typeof state?.idx === 'number' ? state.idx : null
}

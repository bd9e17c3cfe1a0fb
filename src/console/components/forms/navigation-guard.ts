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

type Go = () => void

let ask: ((go: Go) => void) | null = null

/** Goes to another page for the reader, who is asked first if something that they typed would be lost. */
export function leaveFor(go: Go): void {
  if (ask) ask(go)
  else go()
}

/** Has the reader asked before they leave, until what it answers with is called. */
export function guardLeaving(how: (go: Go) => void): () => void {
  ask = how
  return () => {
    ask = null
  }
}

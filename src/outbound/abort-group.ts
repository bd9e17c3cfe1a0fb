interface Abortable {
  abort(): void
}

/**
 * Aborts many things by the signals they came with. A signal's listeners are a list that is walked for every one added,
 * and all requests of a worker share one signal; so each signal has one listener here, and a set of members.
 */
export class AbortGroup {
  readonly #bySignal = new Map<AbortSignal, Set<Abortable>>()

  add(member: Abortable, signal: AbortSignal): void {
    const known = this.#bySignal.get(signal)
    if (known) known.add(member)
    else {
      this.#bySignal.set(signal, new Set([member]))
      signal.addEventListener('abort', this.#onAbort)
    }
  }

  delete(member: Abortable, signal: AbortSignal): void {
    const members = this.#bySignal.get(signal)
    members?.delete(member)
    if (members?.size === 0) this.#forget(signal)
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.target as AbortSignal
    const members = this.#bySignal.get(signal) ?? []
    this.#forget(signal)
    for (const member of members) member.abort()
  }

  #forget(signal: AbortSignal): void {
    this.#bySignal.delete(signal)
    signal.removeEventListener('abort', this.#onAbort)
  }
}

/** Grants a limited number of permits, first come, first served. */
export class Semaphore {
  readonly #limit: number
  #acquired = 0
  readonly #waiting = new Map<object, () => void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The number of permits in use. */
  get acquired(): number {
    return this.#acquired
  }

  /** Calls `onAcquired` immediately if a permit is free, otherwise when one is released. */
  acquire(owner: object, onAcquired: () => void): void {
    if (this.#acquired < this.#limit) {
      this.#acquired += 1
      onAcquired()
    } else this.#waiting.set(owner, onAcquired)
  }

  release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#acquired -= 1
    else {
      const [owner, onAcquired] = next
      this.#waiting.delete(owner)
      onAcquired()
    }
  }

  /** Removes `owner` from the queue. Returns `false` if `owner` was not in it. */
  cancel(owner: object): boolean {
    return this.#waiting.delete(owner)
  }
}

/** Grants a limited number of permits, first come, first served. */
export class Permits {
  readonly #limit: number
  #taken = 0
  readonly #waiting = new Map<object, () => void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  /** Calls `granted` at once if there is a permit, else when one is given back. */
  take(owner: object, granted: () => void): void {
    if (this.#taken < this.#limit) {
      this.#taken += 1
      granted()
    } else this.#waiting.set(owner, granted)
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#taken -= 1
    else {
      const [owner, granted] = next
      this.#waiting.delete(owner)
      granted()
    }
  }

  /** Whether `owner` was waiting, and no longer is. */
  withdraw(owner: object): boolean {
    return this.#waiting.delete(owner)
  }
}

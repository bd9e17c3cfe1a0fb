import { startDeadline } from '../lib/deadline.ts'

interface Request {
  /** How many permits. Default: one. */
  readonly amount?: number
  /** Default: without a limit. */
  readonly maxWaitMs?: number
}

interface Waiting {
  readonly amount: number
  readonly start: () => void
}

/** Shares a number of permits, such as connections or bytes, between owners, who take turns. */
export class FairQueue {
  readonly #limit: number
  #acquired = 0
  readonly #acquiredByOwner = new Map<string | null, number>()
  /** The owner who waits next comes first. */
  readonly #waiting = new Map<string | null, Set<Waiting>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, queue) => sum + queue.size, 0)
  }

  /** Resolves to whether the owner got the permits in time. Call `release` with the same amount after it. */
  async acquire(
    owner: string | null,
    { amount = 1, maxWaitMs = Number.POSITIVE_INFINITY }: Request = {},
  ): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const queue = this.#waiting.get(owner) ?? new Set()
    const waiting = { amount, start: () => resolve(true) }
    this.#waiting.set(owner, queue.add(waiting))
    this.#grant()
    if (!queue.has(waiting) || maxWaitMs === Number.POSITIVE_INFINITY) return await promise
    const deadline = startDeadline(maxWaitMs, () => {
      if (!queue.delete(waiting)) return
      if (queue.size === 0) this.#waiting.delete(owner)
      resolve(false)
    })
    return await promise.finally(deadline.cancel)
  }

  release(owner: string | null, amount = 1): void {
    this.#add(owner, -amount)
    this.#grant()
  }

  #add(owner: string | null, amount: number): void {
    this.#acquired += amount
    const acquired = (this.#acquiredByOwner.get(owner) ?? 0) + amount
    if (acquired > 0) this.#acquiredByOwner.set(owner, acquired)
    else this.#acquiredByOwner.delete(owner)
  }

  #grant(): void {
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue
      if (!next || !this.#isAllowed(owner, next.amount)) continue
      queue.delete(next)
      this.#waiting.delete(owner)
      if (queue.size > 0) this.#waiting.set(owner, queue)
      this.#add(owner, next.amount)
      next.start()
      // The order of the owners has changed.
      this.#grant()
      return
    }
  }

  /**
   * An owner may have as many permits as are left afterwards. One request is always enough; null has no limit of its own.
   */
  #isAllowed(owner: string | null, amount: number): boolean {
    const left = this.#limit - this.#acquired - amount
    const acquired = this.#acquiredByOwner.get(owner) ?? 0
    return left >= 0 && (owner === null || acquired === 0 || acquired + amount <= left)
  }
}

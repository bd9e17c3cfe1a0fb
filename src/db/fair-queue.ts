import { startDeadline } from '../lib/deadline.ts'

/** Shares a number of permits between owners, who take turns. */
export class FairQueue {
  readonly #limit: number
  #acquired = 0
  readonly #acquiredByOwner = new Map<string | null, number>()
  /** The owner who waits next comes first. */
  readonly #waiting = new Map<string | null, Set<() => void>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, queue) => sum + queue.size, 0)
  }

  /** Resolves to whether the owner got a permit in time. Call `release` after it. */
  async acquire(owner: string | null, maxWaitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const queue = this.#waiting.get(owner) ?? new Set()
    const start = () => resolve(true)
    this.#waiting.set(owner, queue.add(start))
    this.#grant()
    if (!queue.has(start) || maxWaitMs === Number.POSITIVE_INFINITY) return await promise
    const deadline = startDeadline(maxWaitMs, () => {
      if (!queue.delete(start)) return
      if (queue.size === 0) this.#waiting.delete(owner)
      resolve(false)
    })
    return await promise.finally(deadline.cancel)
  }

  release(owner: string | null): void {
    this.#acquired -= 1
    const left = (this.#acquiredByOwner.get(owner) ?? 0) - 1
    if (left > 0) this.#acquiredByOwner.set(owner, left)
    else this.#acquiredByOwner.delete(owner)
    this.#grant()
  }

  #grant(): void {
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue
      if (!next || !this.#isAllowed(owner)) continue
      queue.delete(next)
      this.#waiting.delete(owner)
      if (queue.size > 0) this.#waiting.set(owner, queue)
      this.#acquired += 1
      this.#acquiredByOwner.set(owner, (this.#acquiredByOwner.get(owner) ?? 0) + 1)
      next()
      // The order of the owners has changed.
      this.#grant()
      return
    }
  }

  /** An owner may have as many permits as are left. One is always enough; null has no limit of its own. */
  #isAllowed(owner: string | null): boolean {
    const left = this.#limit - this.#acquired
    const acquired = this.#acquiredByOwner.get(owner) ?? 0
    return left > 0 && (owner === null || acquired === 0 || acquired < left - 1)
  }
}

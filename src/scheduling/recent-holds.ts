/** By then, the deliveries that were loaded before a hold have acquired a permit or were parked. */
const FORGET_AFTER_MS = 60_000

/** The recent holds that this process started. A delivery that was loaded before a hold does not know of the hold. */
export class RecentHolds {
  /** When the hold of a webhook was stored; infinity until then. */
  readonly #storedAt = new Map<string, number>()

  start(webhookId: string): void {
    this.#storedAt.set(webhookId, Number.POSITIVE_INFINITY)
  }

  stored(webhookId: string): void {
    this.#storedAt.set(webhookId, performance.now())
  }

  /** Whether the webhook was put on hold after `loadedAt`, by the clock of `performance.now`. */
  startedAfter(loadedAt: number, webhookId: string): boolean {
    return loadedAt < (this.#storedAt.get(webhookId) ?? 0)
  }

  forgetOld(): void {
    const before = performance.now() - FORGET_AFTER_MS
    for (const [webhookId, at] of this.#storedAt) if (at < before) this.#storedAt.delete(webhookId)
  }
}

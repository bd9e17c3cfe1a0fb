/** For contents of organizations, which may be deleted: nothing of them is in memory ten minutes later. */
export const MAX_AGE_MS = 9 * 60_000

interface LruLimits<Value> {
  readonly maxEntries: number
  /** The maximum total weight. Default: no limit. */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
  /**
   * All entries are dropped this long after the first one was set: for what was deleted in the database, and must leave the
   * memory too. Default: no limit.
   */
  readonly maxAgeMs?: number
}

/** A map with limits. The least recently used entries make room for new ones. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #limits: LruLimits<Value>
  /** Most uses are of the key that was used last. */
  #newest: Key | undefined
  #weight = 0
  #clearing: NodeJS.Timeout | null = null

  constructor(limits: LruLimits<Value>) {
    this.#limits = limits
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined || key === this.#newest) return value
    this.#newest = key
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    const { maxEntries, weight, maxAgeMs } = this.#limits
    this.delete(key)
    this.#entries.set(key, value)
    this.#newest = key
    this.#weight += weight?.of(value) ?? 0
    if (maxAgeMs !== undefined) this.#clearing ??= setTimeout(() => this.clear(), maxAgeMs).unref()
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#weight <= (weight?.max ?? 0)) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#limits.weight?.of(value) ?? 0
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
    clearTimeout(this.#clearing ?? undefined)
    this.#clearing = null
  }
}

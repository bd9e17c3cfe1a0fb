/** For contents of organizations, which may be deleted: nothing of them is in memory ten minutes later. */
export const MAX_IDLE_MS = 9 * 60_000

interface LruLimits<Value> {
  readonly maxEntries: number
  /** The maximum total weight. Default: no limit. */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
  /**
   * Entries that were not used for so long are dropped, within a tenth of the time: for what was deleted in the database,
   * and must leave the memory too. Default: no limit.
   */
  readonly maxIdleMs?: number
}

interface Entry<Value> {
  readonly value: Value
  usedAtMs: number
}

/** A map with limits. The least recently used entries make room for new ones. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>()
  readonly #limits: LruLimits<Value>
  #weight = 0
  #timer: NodeJS.Timeout | null = null

  constructor(limits: LruLimits<Value>) {
    this.#limits = limits
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.usedAtMs = performance.now()
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: Key, value: Value): void {
    const { maxEntries, weight, maxIdleMs } = this.#limits
    this.delete(key)
    this.#entries.set(key, { value, usedAtMs: performance.now() })
    this.#weight += weight?.of(value) ?? 0
    if (maxIdleMs !== undefined) this.#watch(maxIdleMs)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#weight <= (weight?.max ?? 0)) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#limits.weight?.of(entry.value) ?? 0
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  /** The timer runs only while there are entries, so that it keeps no map in memory that is not used any more. */
  #watch(maxIdleMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#dropIdle(performance.now() - maxIdleMs)
      if (this.#entries.size > 0) this.#watch(maxIdleMs)
    }, maxIdleMs / 10).unref()
  }

  #dropIdle(usedBeforeMs: number): void {
    for (const [key, { usedAtMs }] of this.#entries) {
      if (usedAtMs > usedBeforeMs) return
      this.delete(key)
    }
  }
}

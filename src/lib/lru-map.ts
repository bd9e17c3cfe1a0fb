export interface LruLimits<Value> {
  readonly maxEntries: number
  /** The maximum total weight. Default: no limit. */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
}

/** A map with limits. The least recently used entries make room for new ones. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #limits: LruLimits<Value>
  #weight = 0

  constructor(limits: LruLimits<Value>) {
    this.#limits = limits
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    const { maxEntries, weight } = this.#limits
    this.delete(key)
    this.#entries.set(key, value)
    this.#weight += weight?.of(value) ?? 0
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
}

/**
 * Remembers which deliveries were processed. `memoryStore` keeps them in this process; write your own for several
 * processes. To be exact even if a process dies, add the id in the transaction of the handler instead: the README shows
 * both.
 */
export interface DeliveryStore {
  /**
   * Adds an id before the handler runs, in one atomic step: `true` if it is new, `false` if it was processed,
   * `'processing'` if another request is processing it now.
   *
   * Let an id that is not confirmed expire after a few minutes, longer than the handler takes. Otherwise, after a process
   * that died, every retry of its delivery counts as a repeat, and the delivery is lost.
   */
  add(id: string): boolean | 'processing' | Promise<boolean | 'processing'>
  /** The handler has succeeded. Remember the id for longer than the sender retries, 83 hours by default. */
  confirm(id: string): unknown
  /** The handler has failed. Forget the id, so that the retry is processed. */
  remove(id: string): unknown
}

/**
 * - `processed`: the handler ran. Answer 2xx.
 * - `duplicate`: an earlier request was processed. Answer 2xx.
 * - `processing`: another request is processing the same delivery, and may still fail. Answer 409, so that the sender
 *   tries again later.
 */
export type Deduplication = 'processed' | 'duplicate' | 'processing'

/**
 * Returns a function that runs a handler once for each id. If the handler fails, the id is forgotten and the function
 * throws its error: answer with 500, and the retry is processed.
 *
 * @param store Default: in the memory of this process.
 *
 * @example
 * ```ts
 * const once = deduplicate()
 *
 * const result = await once(delivery.id, () => issueTicket(delivery.event))
 * return new Response(null, { status: result === 'processing' ? 409 : 204 })
 * ```
 */
export function deduplicate(store: DeliveryStore = memoryStore()) {
  return async (id: string, handler: () => unknown): Promise<Deduplication> => {
    const added = await store.add(id)
    if (added === 'processing') return 'processing'
    if (added === false) return 'duplicate'
    if (added !== true) {
      throw new TypeError(
        `add of the store must return true, false or 'processing', not ${String(added)}.`,
      )
    }
    try {
      await handler()
    } catch (error) {
      await forget(store, id)
      throw error
    }
    await store.confirm(id)
    return 'processed'
  }
}

/** The error of the handler says more than that of the store, in which the id expires. */
async function forget(store: DeliveryStore, id: string): Promise<void> {
  try {
    await store.remove(id)
  } catch {}
}

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** @default 10000; the oldest are forgotten */
  readonly maxIds?: number | undefined
  /** @default 345600 (4 days), longer than the default retry schedule */
  readonly seconds?: number | undefined
}

/** How long a handler may take, in a process that lives on. */
const PROCESSING_SECONDS = 300

/** A store in the memory of this process. It knows nothing of other processes, and of what was before a restart. */
export function memoryStore({
  maxIds = 10_000,
  seconds = 345_600,
}: MemoryStoreOptions = {}): DeliveryStore {
  const known = new Map<string, { processed: boolean; expiresAt: number }>()

  function set(id: string, processed: boolean, lifetimeSeconds: number): void {
    known.delete(id) // the last one set is the last one in the order of the map
    known.set(id, { processed, expiresAt: Date.now() + lifetimeSeconds * 1000 })
    for (const oldest of known.keys()) {
      if (known.size <= maxIds) break
      known.delete(oldest)
    }
  }

  return {
    add(id) {
      const entry = known.get(id)
      if (entry && entry.expiresAt > Date.now()) return entry.processed ? false : 'processing'
      set(id, false, PROCESSING_SECONDS)
      return true
    },
    confirm(id) {
      set(id, true, seconds)
    },
    remove(id) {
      known.delete(id)
    },
  }
}

import { LruMap, MAX_IDLE_MS } from '../lib/lru-map.ts'

/** Longer documents are not kept, so a client sends them with every request. */
const MAX_LENGTH = 64 * 1024
const MAX_TOTAL_LENGTH = 4 * 1024 * 1024
const MAX_DOCUMENTS = 1_000

/** The documents that clients registered in this process, by hash. The least recently used make room for new ones. */
export interface PersistedQueryStore {
  get(hash: string): string | undefined
  set(hash: string, text: string): void
}

export function createPersistedQueryStore(): PersistedQueryStore {
  const texts = new LruMap<string, string>({
    maxEntries: MAX_DOCUMENTS,
    weight: { max: MAX_TOTAL_LENGTH, of: (text) => text.length },
    maxIdleMs: MAX_IDLE_MS,
  })
  return {
    get: (hash) => texts.get(hash),
    set(hash, text) {
      if (text.length <= MAX_LENGTH) texts.set(hash, text)
    },
  }
}

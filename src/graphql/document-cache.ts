import type { DocumentNode } from 'graphql'
import { LruMap, MAX_IDLE_MS } from '../lib/lru-map.ts'

/** Longer documents are not cached, so that no client can fill the memory. */
const MAX_LENGTH = 8 * 1024
const MAX_ENTRIES = 500

interface Cache<Value> {
  get(text: string): Value | undefined
  set(text: string, value: Value): void
}

/** An LRU cache of parsed documents by their text. */
export function createDocumentCache(): Cache<DocumentNode> {
  const documents = new LruMap<string, DocumentNode>({
    maxEntries: MAX_ENTRIES,
    maxIdleMs: MAX_IDLE_MS,
  })
  return {
    get: (text) => documents.get(text),
    set(text, document) {
      if (text.length <= MAX_LENGTH) documents.set(text, document)
    },
  }
}

/** Parse errors are not cached. */
export const noCache: Cache<Error> = { get: () => undefined, set: () => {} }

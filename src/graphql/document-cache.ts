import type { DocumentNode } from 'graphql'

/** Longer documents are not cached, so that no client can fill the memory. */
const MAX_LENGTH = 8 * 1024
const MAX_ENTRIES = 500

interface Cache<Value> {
  get(text: string): Value | undefined
  set(text: string, value: Value): void
}

/** An LRU cache of parsed documents by their text. */
export function createDocumentCache(): Cache<DocumentNode> {
  const documents = new Map<string, DocumentNode>()
  return {
    get(text) {
      const document = documents.get(text)
      if (document) {
        documents.delete(text)
        documents.set(text, document)
      }
      return document
    },
    set(text, document) {
      if (text.length > MAX_LENGTH) return
      documents.set(text, document)
      if (documents.size > MAX_ENTRIES) documents.delete(documents.keys().next().value as string)
    },
  }
}

/** Parse errors are not cached. */
export const noCache: Cache<Error> = { get: () => undefined, set: () => {} }

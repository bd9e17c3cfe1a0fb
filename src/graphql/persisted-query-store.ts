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
  const texts = new Map<string, string>()
  let totalLength = 0

  function remove(hash: string): string | undefined {
    const text = texts.get(hash)
    if (text === undefined) return undefined
    texts.delete(hash)
    totalLength -= text.length
    return text
  }

  function add(hash: string, text: string): void {
    texts.set(hash, text)
    totalLength += text.length
    while (totalLength > MAX_TOTAL_LENGTH || texts.size > MAX_DOCUMENTS) {
      remove(texts.keys().next().value as string)
    }
  }

  return {
    get(hash) {
      const text = remove(hash)
      if (text !== undefined) add(hash, text)
      return text
    },
    set(hash, text) {
      if (text.length > MAX_LENGTH) return
      remove(hash)
      add(hash, text)
    },
  }
}

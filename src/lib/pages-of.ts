/** So that no statement takes long, and none has a huge parameter. */
const PAGE_SIZE = 500

export function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += PAGE_SIZE) yield items.slice(at, at + PAGE_SIZE)
}

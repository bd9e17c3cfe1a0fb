import { ServerError } from '../send-request.ts'
import type { FormerApi } from './former-api.ts'

interface Paging {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The items and the query of the next page, or null for an answer that is no page. `next` is null on the last one. */
  readonly read: (answer: unknown) => Page | null
}

interface Page {
  readonly items: readonly unknown[]
  readonly next: Readonly<Record<string, string>> | null
}

/** All items of a list of an API, page by page. Throws for an answer that is no page, and for a page that comes again. */
export async function* pages(
  api: FormerApi,
  { path, query, read }: Paging,
): AsyncGenerator<unknown> {
  const seen = new Set<string>()
  for (let cursor: Page['next'] = {}; cursor !== null; ) {
    const page = read(await api.get(path, { ...query, ...cursor }))
    if (page === null) throw new ServerError(`GET ${path} answered without a list.`)
    yield* page.items
    cursor = page.next
    const key = JSON.stringify(cursor)
    if (cursor !== null && seen.has(key)) {
      throw new ServerError(`GET ${path} names the same next page again, so the list has no end.`)
    }
    seen.add(key)
  }
}

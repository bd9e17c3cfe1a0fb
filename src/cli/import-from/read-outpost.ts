import { ServerError } from '../send-request.ts'
import type { FormerApi } from './former-api.ts'
import { pages } from './pages.ts'

const PAGE_SIZE = '100'

/** The tenants of Outpost with their destinations, in the form of a saved export. `only`: ids. Default: all. */
export async function* readOutpost(
  api: FormerApi,
  only: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  const tenants = only.length > 0 ? named(api, only) : list(api)
  for await (const tenant of tenants) {
    const { id } = Object(tenant) as { id?: unknown }
    const path = `/tenants/${encodeURIComponent(String(id))}/destinations`
    const destinations = await api.get(path)
    if (!Array.isArray(destinations)) throw new ServerError(`GET ${path} answered without a list.`)
    yield { ...Object(tenant), destinations }
  }
}

async function* named(api: FormerApi, only: readonly string[]): AsyncGenerator<unknown> {
  for (const id of only) {
    const tenant = await api.get(`/tenants/${encodeURIComponent(id)}`)
    if (tenant === null) throw new ServerError(`There is no tenant ${id}.`)
    yield tenant
  }
}

/** Earlier versions have `data` and `next` in the place of `models` and `pagination`. */
function list(api: FormerApi): AsyncGenerator<unknown> {
  return pages(api, {
    path: '/tenants',
    query: { limit: PAGE_SIZE, dir: 'asc' },
    read(answer) {
      const page = Object(answer) as Record<string, unknown>
      const items = page['models'] ?? page['data']
      if (!Array.isArray(items)) return null
      const { next } = Object(page['pagination'] ?? page) as { next?: unknown }
      return { items, next: typeof next === 'string' && next !== '' ? { next } : null }
    },
  })
}

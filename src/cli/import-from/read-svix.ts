import { ServerError } from '../send-request.ts'
import type { FormerApi } from './former-api.ts'
import { pages } from './pages.ts'

const PAGE_SIZE = '250'

/** The region is the end of a token, such as `….eu`. */
export function urlOfSvix(token: string): string {
  const [, region] = /[.](us|eu|in|ca|au)$/.exec(token) ?? []
  return region ? `https://api.${region}.svix.com` : 'https://api.svix.com'
}

/** The applications of Svix with their endpoints, in the form of a saved export. `only`: ids or uids. Default: all. */
export async function* readSvix(
  api: FormerApi,
  only: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  const applications = only.length > 0 ? named(api, only) : list(api, '/api/v1/app')
  for await (const application of applications) {
    const { id } = Object(application) as { id?: unknown }
    const path = `/api/v1/app/${encodeURIComponent(String(id))}/endpoint`
    const endpoints: unknown[] = []
    for await (const endpoint of list(api, path)) {
      const one = `${path}/${encodeURIComponent(String((Object(endpoint) as { id?: unknown }).id))}`
      endpoints.push({
        ...Object(endpoint),
        secret: await api.get(`${one}/secret`),
        headers: await api.get(`${one}/headers`),
        transformation: await api.get(`${one}/transformation`),
      })
    }
    yield { ...Object(application), endpoints }
  }
}

async function* named(api: FormerApi, only: readonly string[]): AsyncGenerator<unknown> {
  for (const name of only) {
    const application = await api.get(`/api/v1/app/${encodeURIComponent(name)}`)
    if (application === null) throw new ServerError(`There is no application ${name}.`)
    yield application
  }
}

function list(api: FormerApi, path: string): AsyncGenerator<unknown> {
  return pages(api, {
    path,
    query: { limit: PAGE_SIZE },
    read(answer) {
      const { data, iterator, done } = Object(answer) as Record<string, unknown>
      if (!Array.isArray(data)) return null
      const hasNext = done === false && typeof iterator === 'string'
      return { items: data, next: hasNext ? { iterator } : null }
    },
  })
}

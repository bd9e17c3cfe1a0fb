import { type Answer, type JsonServer, NOT_FOUND, startJsonServer } from './json-server.ts'

export interface SvixEndpoint {
  readonly id: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly sensitive?: readonly string[]
  readonly transformation?: object
  readonly [field: string]: unknown
}

export interface SvixApplication {
  readonly id: string
  readonly uid?: string | null
  readonly endpoints: readonly SvixEndpoint[]
  readonly [field: string]: unknown
}

const AT = '2026-01-31T12:00:00Z'

/**
 * The API of Svix as its OpenAPI document describes it: lists with `data`, `iterator` and `done`, and for an endpoint its
 * secret, headers and transformation. Pages have two items, whatever the limit.
 */
export function startSvixServer(
  token: string,
  applications: readonly SvixApplication[],
): Promise<JsonServer> {
  return startJsonServer(token, (path, query) => answer(applications, path, query))
}

function answer(
  applications: readonly SvixApplication[],
  path: string,
  query: URLSearchParams,
): Answer {
  const [, app, , endpoint, detail] =
    /^\/api\/v1\/app(?:\/([^/]+)(\/endpoint(?:\/([^/]+)(?:\/([^/]+))?)?)?)?$/.exec(path) ?? []
  if (!path.startsWith('/api/v1/app')) return NOT_FOUND
  if (app === undefined) return page(applications.map(toApplication), query)
  const found = applications.find(({ id, uid }) => [id, uid].includes(decodeURIComponent(app)))
  if (!found) return NOT_FOUND
  if (!path.includes('/endpoint')) return { body: toApplication(found) }
  if (endpoint === undefined) return page(found.endpoints.map(toEndpoint), query)
  const one = found.endpoints.find(({ id }) => id === endpoint)
  if (!one) return NOT_FOUND
  if (detail === 'secret') return { body: { key: one.key } }
  if (detail === 'headers') {
    return { body: { headers: one.headers ?? {}, sensitive: one.sensitive ?? [] } }
  }
  return { body: one.transformation ?? { code: null, enabled: false, updatedAt: null } }
}

function page(all: readonly { readonly id: string }[], query: URLSearchParams): Answer {
  const start = all.findIndex(({ id }) => id === query.get('iterator')) + 1
  const data = all.slice(start, start + 2)
  const done = start + 2 >= all.length
  return { body: { data, iterator: data.at(-1)?.id ?? null, prevIterator: null, done } }
}

function toApplication({ endpoints: _, ...application }: SvixApplication) {
  return { metadata: {}, rateLimit: null, createdAt: AT, updatedAt: AT, ...application }
}

function toEndpoint({
  key: _,
  headers: __,
  sensitive: ___,
  transformation: ____,
  ...one
}: SvixEndpoint) {
  return { metadata: {}, description: '', version: 1, createdAt: AT, updatedAt: AT, ...one }
}

import { type JsonServer, NOT_FOUND, startJsonServer } from './json-server.ts'

export interface OutpostTenant {
  readonly id: string
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly destinations: readonly object[]
}

const AT = '2026-01-31T12:00:00Z'

/**
 * The API of Outpost as its OpenAPI document describes it: tenants in pages with `models` and `pagination`, and the
 * destinations of a tenant as one list. Pages have two items, whatever the limit.
 */
export function startOutpostServer(
  token: string,
  tenants: readonly OutpostTenant[],
): Promise<JsonServer> {
  return startJsonServer(token, (path, query) => {
    const [, id, destinations] =
      /^\/api\/v1\/tenants(?:\/([^/]+)(\/destinations)?)?$/.exec(path) ?? []
    if (!path.startsWith('/api/v1/tenants')) return NOT_FOUND
    if (id === undefined) return page(tenants, Number(query.get('next') ?? 0))
    const tenant = tenants.find((one) => one.id === decodeURIComponent(id))
    if (!tenant) return NOT_FOUND
    return { body: destinations ? tenant.destinations.map(toDestination) : toTenant(tenant) }
  })
}

function page(tenants: readonly OutpostTenant[], start: number) {
  const next = start + 2 < tenants.length ? String(start + 2) : null
  const models = tenants.slice(start, start + 2).map(toTenant)
  const pagination = { order_by: 'created_at', dir: 'asc', limit: 100, next, prev: null }
  return { body: { models, pagination, count: tenants.length } }
}

function toTenant({ destinations, ...tenant }: OutpostTenant) {
  const destinations_count = destinations.length
  return {
    metadata: null,
    topics: [],
    created_at: AT,
    updated_at: AT,
    ...tenant,
    destinations_count,
  }
}

function toDestination(destination: object) {
  return { type: 'webhook', disabled_at: null, created_at: AT, updated_at: AT, ...destination }
}

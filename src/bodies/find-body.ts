import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import type { SelectionPlan } from './event-graph/plan-selection.ts'
import { compileTemplate, type Template } from './templates/compile-template.ts'

/** The version of a body with a uuid. */
export type FindBody = (uuid: string) => Body | Promise<Body>

/** Versions in memory, and the characters of their texts: of a template, each takes up to 70 bytes. */
const CACHE_SIZE = 10_000
const CACHED_CHARACTERS = 2 * 1024 * 1024

interface Row extends StoredBody {
  readonly id: string
}

interface Entry {
  readonly body: Body
  readonly characters: number
}

/** Remembers the versions, which never change. */
export function createFindBody(sql: Sql): FindBody {
  const cache = new LruMap<string, Entry>({
    maxEntries: CACHE_SIZE,
    weight: { max: CACHED_CHARACTERS, of: ({ characters }) => characters },
    maxAgeMs: MAX_AGE_MS,
  })
  const load = batched((uuids: string[]) => loadBodies(sql, uuids), { maxSize: 100 })
  return (uuid) => {
    const known = cache.get(uuid)
    if (known) return known.body
    return load(uuid).then((row) => {
      if (!row) throw new Error(`There is no body version ${uuid}.`)
      const body = parseStoredBody(row)
      cache.set(uuid, { body, characters: (row.plan ?? row.template ?? '').length })
      return body
    })
  }
}

async function loadBodies(sql: Sql, uuids: string[]): Promise<(Row | null)[]> {
  const { rows } = await sql.query<Row>({
    name: 'load_body_versions',
    text: 'select id, plan, template from posthorn.webhook_bodies where id = any ($1::uuid[])',
    values: [uuids],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}

/** What the deliveries of a webhook contain instead of the whole event, ready to be written. */
export type Body = { readonly plan: SelectionPlan } | { readonly template: Template }

/** The columns of a version. One of them is null. */
export interface StoredBody {
  /** JSON. */
  readonly plan: string | null
  readonly template: string | null
}

export function parseStoredBody({ plan, template: text }: StoredBody): Body {
  if (plan !== null) return { plan: JSON.parse(plan) }
  const { template, issues } = compileTemplate(text ?? '', ['template'])
  if (template) return { template }
  throw new Error(`A stored template is invalid: ${issues.map(({ detail }) => detail).join(' ')}`)
}

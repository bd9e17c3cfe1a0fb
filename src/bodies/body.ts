import type { Db, Sql } from '../db/client.ts'
import type { Webhook } from '../db/generated/prisma/client.ts'
import { mintUuid } from '../db/ids.ts'
import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import { deliveryBody } from '../events/check-event.ts'
import { batched } from '../lib/batch.ts'
import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import { inTurn } from '../lib/in-turn.ts'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import { OverBudget } from '../lib/work-budget.ts'
import { compileSelection } from './event-graph/compile-selection.ts'
import { readSourceTypes } from './event-graph/event-schema.ts'
import type { SelectionPlan } from './event-graph/plan-selection.ts'
import { type BodyEvent, selectEvent } from './event-graph/select-event.ts'
import {
  compileTemplate,
  type DeliveryOfBody,
  renderTemplate,
  type Template,
} from './templates/template.ts'

/** What the deliveries of a webhook contain, ready to be written. Null: the whole event. */
export type Body = { readonly plan: SelectionPlan } | { readonly template: Template } | null

/** The columns of a version. At most one of them is not null. */
export interface StoredBody {
  /** JSON. */
  readonly plan: string | null
  readonly template: string | null
}

export function parseBody({ plan, template: text }: StoredBody): Body {
  if (plan !== null) return { plan: JSON.parse(plan) }
  if (text === null) return null
  const { template, issues } = compileTemplate(text)
  if (template) return { template }
  throw new Error(`A stored template is invalid: ${issues.map(({ detail }) => detail).join(' ')}`)
}

/**
 * The signed body of an attempt, written in the turn of the organization. The body depends only on these columns, and a body
 * version never changes, so every attempt of a delivery sends the same bytes. Null: the selection makes more data of the
 * event than an event can have, or the body takes more work than its budget.
 */
export async function writeBody(
  organizationId: string,
  body: Body,
  event: BodyEvent,
  delivery: DeliveryOfBody,
): Promise<string | null> {
  return await inTurn(organizationId, (budget) => {
    if (body === null) return deliveryBody(event)
    try {
      if ('template' in body) return renderTemplate(body.template, event, delivery, budget)
      const data = JSON.stringify(selectEvent(body.plan, event, budget))
      // Many fields of each item of a long list can be longer than the list, because each that is missing is `null`.
      return Buffer.byteLength(data) > MAX_DATA_BYTES ? null : deliveryBody({ ...event, data })
    } catch (error) {
      if (error instanceof OverBudget) return null
      throw error
    }
  })
}

/** Versions in memory, and the characters of their texts: of a template, each takes up to 70 bytes. */
const CACHE_SIZE = 10_000
const CACHED_CHARACTERS = 2 * 1024 * 1024

/** Finds the version of a body with a uuid, and remembers it: versions never change. */
export function createFindBody(sql: Sql): (uuid: string) => Promise<Body> {
  const cache = new LruMap<string, { readonly body: Body; readonly characters: number }>({
    maxEntries: CACHE_SIZE,
    weight: { max: CACHED_CHARACTERS, of: ({ characters }) => characters },
    maxAgeMs: MAX_AGE_MS,
  })
  const load = batched((uuids: string[]) => loadBodies(sql, uuids), { maxSize: 100 })
  return async (uuid) => {
    const known = cache.get(uuid)
    if (known) return known.body
    const row = await load(uuid)
    if (!row) throw new Error(`There is no body version ${uuid}.`)
    const body = parseBody(row)
    cache.set(uuid, { body, characters: (row.plan ?? row.template ?? '').length })
    return body
  }
}

async function loadBodies(sql: Sql, uuids: readonly string[]): Promise<(StoredBody | undefined)[]> {
  const { rows } = await sql.query<StoredBody & { readonly id: string }>({
    name: 'load_body_versions',
    text: 'select id, plan, template from posthorn.webhook_bodies where id = any ($1::uuid[])',
    values: [uuids],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => byId.get(uuid))
}

interface DeliveryRow extends Omit<BodyEvent, 'data'>, StoredBody, Omit<DeliveryOfBody, 'id'> {
  readonly deliveryId: string
  readonly organizationId: string
  readonly data: string | null
}

/**
 * The exact bodies of deliveries, by their uuids. Null for one that was deleted, whose event is past its retention, erased or not kept, or
 * whose selection or template makes too much of its event.
 */
export async function readBodies(
  sql: Sql,
  deliveryUuids: readonly string[],
): Promise<(string | null)[]> {
  const { rows } = await sql.query<DeliveryRow>({
    name: 'read_bodies',
    text: READ_BODIES,
    values: [[...new Set(deliveryUuids)]],
  })
  const byId = new Map(rows.map((row) => [row.deliveryId, row]))
  return await Promise.all(
    deliveryUuids.map(async (uuid) => {
      const row = byId.get(uuid)
      if (!row || row.data === null) return null
      const event = { ...row, data: row.data }
      return await writeBody(row.organizationId, parseBody(row), event, { ...row, id: uuid })
    }),
  )
}

/** The primary keys serve each lookup. `offset 0` keeps the planner from joining the lookups into one. */
const READ_BODIES = `
  select read.* from unnest($1::uuid[]) as requested (id), lateral (
    select d.id as "deliveryId", d.organization_id as "organizationId", d.webhook_id as "webhookId", e.id, e.type, e.occurred_at as "occurredAt", e.data,
      case when d.body_id is not null then e.previous end as previous, b.plan, b.template,
      (select public_url from posthorn.settings) as "publicUrl"
    from (select * from posthorn.deliveries as d where d.id = requested.id offset 0) as d
    left join lateral (
      select * from posthorn.events as e where e.id = d.event_id and e.erased_at is null and not d.is_erased offset 0
    ) as e on true
    left join posthorn.webhook_bodies as b on b.id = d.body_id
  ) as read`

/** What a caller chooses for the body of a webhook. Undefined: as before. */
export interface BodyChoice {
  /** GraphQL on the event graph. Null: none. */
  readonly selection?: string | null | undefined
  /** JSON with Liquid in its strings. Null: none. */
  readonly template?: string | null | undefined
}

/** A checked choice: at most one of the texts, and what is stored of a selection. */
export interface ChosenBody extends StoredBody {
  readonly selection: string | null
}

const WHOLE_EVENT: ChosenBody = { selection: null, template: null, plan: null }

interface Choice {
  /** Null if there are issues. */
  readonly body: ChosenBody | null
  readonly issues: FieldIssue[]
}

/** Checks a choice. A selection replaces a template, and a template a selection. */
export async function chooseBody(db: Db, { selection, template }: BodyChoice): Promise<Choice> {
  if (typeof selection === 'string' && typeof template === 'string') {
    const rule = 'is given beside selection. Send one of them.'
    return { body: null, issues: [fieldIssue(['template'], 'ambiguous', rule)] }
  }
  if (typeof selection === 'string') return await chooseSelection(db, selection)
  if (typeof template !== 'string') return { body: WHOLE_EVENT, issues: [] }
  const { template: compiled, issues } = compileTemplate(template)
  return { issues, body: compiled && { ...WHOLE_EVENT, template } }
}

async function chooseSelection(db: Db, selection: string): Promise<Choice> {
  const { plan, issues } = compileSelection(selection, await readSourceTypes(db))
  return {
    body: plan && { selection, template: null, plan: JSON.stringify(plan) },
    issues: issues.map(({ message, locations }) => {
      const [{ line, column } = { line: 2, column: 1 }] = locations ?? []
      const rule = `is invalid at line ${line - 1}, column ${column}: ${message}`
      return fieldIssue(['selection'], 'invalid_value', rule)
    }),
  }
}

/** The columns of a webhook with a new version of its body. */
export function bodyColumns({ selection, template }: ChosenBody) {
  const bodyId = selection === null && template === null ? null : mintUuid()
  return { selection, template, bodyId }
}

/** Stores the version that the columns of a webhook name. The webhook is locked or new. */
export async function addBodyVersion(
  tx: Db,
  { id: webhookId, organizationId, bodyId }: Pick<Webhook, 'id' | 'organizationId' | 'bodyId'>,
  body: ChosenBody,
): Promise<void> {
  if (bodyId === null) return
  const { _max: newest } = await tx.webhookBody.aggregate({
    where: { webhookId },
    _max: { version: true },
  })
  await tx.webhookBody.create({
    data: { id: bodyId, organizationId, webhookId, version: (newest.version ?? 0) + 1, ...body },
  })
}

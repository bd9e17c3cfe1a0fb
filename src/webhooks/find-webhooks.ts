import type { Db, Sql } from '../db/client.ts'
import { containing } from '../db/containing.ts'
import type { Prisma, Webhook } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf, sliceAround } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { subscriptionsTo } from '../event-types/find-event-types.ts'
import { notFound } from '../lib/errors.ts'
import { type OwnNameFilter, ownNameConditions } from '../own-names/metadata-condition.ts'
import { sortWebhooks, type WebhookOrder } from './webhook-order.ts'
import { inState, type WebhookState } from './webhook-state.ts'

type Selection = Pick<Prisma.WebhookFindManyArgs, 'select' | 'include'>

/** Conditions on webhooks. A missing or null field matches every webhook. */
export interface WebhookFilter extends OwnNameFilter {
  /** Set only for a portal session that is restricted to one webhook. */
  readonly uuid?: string | null | undefined
  /** A part of the URL, of the description or of the uid. */
  readonly search?: string | null | undefined
  readonly subscribesTo?: string | null | undefined
  readonly states?: readonly WebhookState[] | null | undefined
}

/** A page of an organization's webhooks. */
export async function findWebhooks(
  { prisma: db, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  filter: WebhookFilter,
  query: Selection & Page,
  order: WebhookOrder,
): Promise<Webhook[]> {
  if (order !== 'newest first') {
    return await findSorted({ db, sql }, organizationId, filter, query, order)
  }
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.webhook.findMany({
    ...page,
    where: { ...where, organizationId, deletedAt: null, AND: conditions(filter) },
  })
}

/** Counts the organization's webhooks that match the filter. */
export async function countWebhooks(
  db: Db,
  organizationId: string,
  filter: WebhookFilter,
): Promise<number> {
  return await db.webhook.count({
    where: { organizationId, deletedAt: null, AND: conditions(filter) },
  })
}

function conditions(filter: WebhookFilter): Prisma.WebhookWhereInput[] {
  const { uuid, search, subscribesTo, states } = filter
  return [
    typeof uuid === 'string' ? { id: uuid } : {},
    typeof search === 'string'
      ? {
          OR: [
            { url: containing(search) },
            { description: containing(search) },
            { uid: containing(search) },
          ],
        }
      : {},
    typeof subscribesTo === 'string'
      ? { eventSubscriptions: { hasSome: subscriptionsTo(subscribesTo) } }
      : {},
    states ? { OR: states.map(inState) } : {},
    ...ownNameConditions(filter),
  ]
}

const ATTENTION: readonly (readonly WebhookState[])[] = [
  ['on_hold'],
  ['failing'],
  ['behind'],
  ['degraded'],
  ['healthy', 'no_deliveries'],
  ['disabled'],
]

/** Finds ids first: Prisma cannot order by states and statistics. An organization has few webhooks. */
async function findSorted(
  { db, sql }: { readonly db: Db; readonly sql: Sql },
  organizationId: string,
  filter: WebhookFilter,
  { cursor, skip: _, take, ...selection }: Selection & Page,
  order: WebhookOrder,
): Promise<Webhook[]> {
  const where = { organizationId, deletedAt: null, AND: conditions(filter) }
  const found = await db.webhook.findMany({
    where,
    select: {
      id: true,
      url: true,
      description: true,
    },
    orderBy: { id: 'desc' },
  })
  const sorted = await sortWebhooks(sql, organizationId, order, found)
  const ids = sorted.map(({ id }) => id)
  if (order === 'attention first') await sortByState(sql, organizationId, ids)
  const page = sliceAround(ids, cursor?.id, take)
  const rows = await findWebhooksByIds(db, organizationId, page, atLeastKey(selection))
  return page.flatMap((id) => rows.get(id) ?? [])
}

async function sortByState(sql: Sql, organizationId: string, ids: string[]): Promise<void> {
  const { rows } = await sql.query<{ id: string; state: WebhookState }>({
    name: 'read_webhook_states_of_organization',
    text: 'select webhook_id as id, state from posthorn.webhook_states where organization_id = $1',
    values: [organizationId],
  })
  const ranks = new Map(
    rows.map(({ id, state }) => [id, ATTENTION.findIndex((group) => group.includes(state))]),
  )
  ids.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
}

/** The organization's webhook with a public id, or `null`. */
export async function findWebhookById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Webhook | null> {
  const uuid = parseId('webhook', id)
  if (!uuid) return null
  return await db.webhook.findUnique({
    ...atLeastKey(selection),
    where: { id: uuid, organizationId, deletedAt: null },
  })
}

/** The organization's webhook with a uid, or `null`. With `id`, also if that is the uuid of another one. */
export async function findWebhookByUid(
  db: Db,
  organizationId: string,
  name: { readonly uid: string; readonly id?: string },
  selection: Selection,
): Promise<Webhook | null> {
  const where = { ...name, organizationId, deletedAt: null }
  return await db.webhook.findFirst({ ...atLeastKey(selection), where })
}

/** Reads a webhook again after a change. Throws `not_found` if it was deleted. */
export async function rereadWebhook(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Webhook> {
  const row = await findWebhookById(db, organizationId, id, selection)
  if (!row) throw notFound('webhook', id)
  return row
}

/** The organization's webhooks with these uuids, by uuid. */
export async function findWebhooksByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
): Promise<Map<string, Webhook>> {
  const where = { id: { in: [...uuids] }, organizationId, deletedAt: null }
  const rows = await db.webhook.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}

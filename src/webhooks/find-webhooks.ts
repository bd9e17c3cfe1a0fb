import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db, Sql } from '../db/client.ts'
import { containing } from '../db/containing.ts'
import type { Prisma, Webhook } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { type Page, pageOf, sliceAround } from '../db/page.ts'
import { atLeastKey, byIds } from '../db/selection.ts'
import { subscriptionsTo } from '../event-types/find-event-types.ts'
import { notFound } from '../lib/errors.ts'
import { type OwnNameFilter, ownNameConditions } from '../organizations/own-names/metadata.ts'
import { countParked } from './delivery-health.ts'
import type { WebhookState } from './webhook-state.ts'

type Selection = Pick<Prisma.WebhookFindManyArgs, 'select' | 'include'>

/** The organization's webhook with a public id. Throws `not_found`, also for a deleted webhook. */
export async function findWebhook(db: Db, organizationId: string, id: string): Promise<Webhook> {
  const uuid = parseId('webhook', id)
  const row =
    uuid && (await db.webhook.findFirst({ where: { id: uuid, organizationId, deletedAt: null } }))
  if (!row) throw notFound('webhook', id)
  return row
}

/** A public id, or the uid that the owner chose. */
export type WebhookName = { readonly id: string } | { readonly uid: string }

/**
 * Locks the organization's webhook with a name until the transaction ends, and returns its current row. Null for an unknown
 * uid. Throws `not_found` for an unknown id. A deletion, or another uid, can commit while this waits for the lock.
 */
export async function lockWebhook(
  tx: Db,
  organizationId: string,
  name: WebhookName,
): Promise<Webhook | null> {
  const [id, uid] = 'id' in name ? [parseId('webhook', name.id), null] : [null, name.uid]
  const [locked] = await tx.$queryRaw<{ id: string }[]>`
    select id from posthorn.webhooks
    where organization_id = ${organizationId}::uuid and (id = ${id}::uuid or uid = ${uid}) and deleted_at is null
    for no key update`
  if (locked) return await tx.webhook.findUniqueOrThrow({ where: { id: locked.id } })
  if ('id' in name) throw notFound('webhook', name.id)
  return null
}

/** Throws an `EditConflict` if the webhook, which is locked, has another revision than the caller read. */
export async function checkEdit(
  tx: Db,
  { organizationId, revision, id }: Webhook,
  ifRevision: number | null | undefined,
): Promise<void> {
  const actions = ['webhook.updated', 'signing_secret.rotated'] as const
  const edited = { organizationId, subjectId: publicId('webhook', id), revision, actions }
  await checkEditConflict(tx, edited, ifRevision)
}

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
    states ? { current: { state: { in: [...states] } } } : {},
    ...ownNameConditions(filter),
  ]
}

export type WebhookOrder = 'newest first' | 'attention first' | 'most waiting' | 'name'

/** The ranks of states, for the order by attention. */
const RANKS: Readonly<Record<WebhookState, number>> = {
  on_hold: 0,
  failing: 1,
  behind: 2,
  degraded: 3,
  healthy: 4,
  no_deliveries: 4,
  disabled: 5,
}

const NAMES = new Intl.Collator('en', { numeric: true })

/** Finds ids first: Prisma cannot order by states and statistics. An organization has few webhooks. */
async function findSorted(
  { db, sql }: { readonly db: Db; readonly sql: Sql },
  organizationId: string,
  filter: WebhookFilter,
  { cursor, skip: _, take, ...selection }: Selection & Page,
  order: WebhookOrder,
): Promise<Webhook[]> {
  const found = await db.webhook.findMany({
    where: { organizationId, deletedAt: null, AND: conditions(filter) },
    select: { id: true, url: true, description: true, current: true },
    orderBy: { id: 'desc' },
  })
  const backlogs = found.flatMap(({ id, current }) => (current?.hasBacklog ? id : []))
  const counts = order === 'name' ? [] : await countParked(sql, backlogs)
  const waiting = new Map(backlogs.map((id, i) => [id, counts[i]]))
  // Equal ones stay newest first.
  const sorted = found
    .map(({ id, url, description, current }) => ({
      id,
      // The description or, without one, the host and the path.
      name: description || url.replace(/^https:\/\//, ''),
      rank: RANKS[(current?.state ?? 'disabled') as WebhookState],
      waiting: waiting.get(id) ?? 0,
    }))
    .sort((a, b) =>
      order === 'name'
        ? NAMES.compare(a.name, b.name)
        : (order === 'attention first' ? a.rank - b.rank : 0) || b.waiting - a.waiting,
    )
  const ids = sliceAround(
    sorted.map(({ id }) => id),
    cursor?.id,
    take,
  )
  const rows = await findWebhooksByIds(db, organizationId, ids, atLeastKey(selection))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

/** The organization's webhook with a public id or a uid, or `null`. With `only`, also if that is the uuid of another one. */
export async function findNamedWebhook(
  db: Db,
  organizationId: string,
  name: WebhookName,
  only: string | undefined,
  selection: Selection,
): Promise<Webhook | null> {
  const id = 'id' in name ? parseId('webhook', name.id) : only
  if (id === null) return null
  const where = { ...name, organizationId, deletedAt: null, ...(id !== undefined && { id }) }
  return await db.webhook.findFirst({ ...atLeastKey(selection), where })
}

/** The organization's webhooks with these uuids, by uuid. */
export const findWebhooksByIds = byIds<Webhook, Selection>((db, { where, ...selection }) =>
  db.webhook.findMany({ ...selection, where: { ...where, deletedAt: null } }),
)

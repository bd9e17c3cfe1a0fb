import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Delivery, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, type PageBounds, pageOf, pageOrder } from '../../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../../db/parameters.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import { type AttemptFilter, pageOfAttempts } from './attempt-filter.ts'

type Selection = Pick<Prisma.AttemptFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** A page of an organization's attempts, newest first, with two statements. */
export async function listAttempts(
  deps: Deps,
  organizationId: string,
  filter: AttemptFilter,
  query: Selection & Page,
): Promise<Attempt[]> {
  const pages = await readPages(deps, [organizationId], query, (bounds, add) =>
    pageOfSome(filter, [`a.organization_id = ${add(organizationId)}`], bounds, add),
  )
  return pages.flat()
}

/** For several webhooks, reads a page of each in the order of an index, and merges them. */
function pageOfSome(
  filter: AttemptFilter,
  owned: readonly string[],
  bounds: PageBounds,
  add: AddValue,
): string {
  const { webhookUuid, webhookUuids } = filter
  if (!webhookUuids || webhookUuid) return pageOfAttempts(filter, { owned, ...bounds }, add)
  const ofWebhook = ['a.webhook_id = owner.id', ...owned]
  const page = pageOfAttempts(
    { ...filter, webhookUuids: null },
    { owned: ofWebhook, ...bounds },
    add,
  )
  return `
    select page.id from unnest(${add([...new Set(webhookUuids)])}::uuid[]) as owner (id), lateral (${page}) as page
    ${pageOrder(bounds, add)}`
}

/** A page of attempts for each of several webhooks, in their order, newest first, with two statements. */
export async function listAttemptsOfWebhooks(
  deps: Deps,
  organizationId: string,
  webhookUuids: readonly string[],
  filter: AttemptFilter,
  query: Selection & Page,
): Promise<Attempt[][]> {
  return await readPages(deps, webhookUuids, query, (bounds, add) => {
    const owned = ['a.webhook_id = owner.id', `a.organization_id = ${add(organizationId)}`]
    return pageOfAttempts(filter, { owned, ...bounds }, add)
  })
}

/** `pageSql` selects the ids of a page of the owner `owner.id`. */
async function readPages(
  { prisma, sql }: Deps,
  owners: readonly string[],
  query: Selection & Page,
  pageSql: (bounds: PageBounds, add: AddValue) => string,
): Promise<Attempt[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const page = pageSql({ take, bound: where.id }, add)
  const { rows } = await sql.query<PageOfOwner>(
    `select owner.id as owner, array(${page}) as ids from unnest(${add(owners)}::uuid[]) as owner (id)`,
    values,
  )
  const ids = rows.flatMap((row) => row.ids)
  const found = await prisma.attempt.findMany({ ...selection, where: { id: { in: ids } } })
  return pagesOfEach(owners, rows, found, take)
}

/** The organization's attempts with these uuids, by uuid. */
export async function findAttemptsByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
): Promise<Map<string, Attempt>> {
  const where = { id: { in: [...uuids] }, organizationId }
  const rows = await db.attempt.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Attempt ids are later than their delivery's id, except for differences between clocks. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1_000

/**
 * A page of attempts for each of several deliveries, in the order of the deliveries, each page newest first. A
 * first page that holds all attempts takes one statement, and so do the oldest attempts; other pages take two. None reads
 * more attempts of a delivery than its page holds. Attempts that were recorded after the delivery was read are left out:
 * its state, which was read with `attemptCount`, knows nothing of them.
 */
export async function findAttemptsOfEach(
  deps: Deps,
  deliveries: readonly Pick<Delivery, 'id' | 'attemptCount'>[],
  query: Selection & Page,
): Promise<Attempt[][]> {
  const deliveryUuids = deliveries.map(({ id }) => id)
  const { where: page, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const { id: bound } = page
  const counts = new Map(deliveries.map(({ id, attemptCount }) => [id, attemptCount]))
  const most = Math.max(...counts.values())
  // Attempts are numbered from 1, so the numbers of all, and of the oldest, are known.
  const where =
    !bound && (take < 0 || most <= take)
      ? { ...attemptsOf(deliveryUuids), number: { lte: Math.abs(take) } }
      : { id: { in: await pageIds(deps.sql, counts, take, bound) } }
  const found = await deps.prisma.attempt.findMany({
    ...withOwner(selection),
    where,
    orderBy: { number: 'desc' },
  })
  const known = found.filter(({ deliveryId, number }) => number <= (counts.get(deliveryId) ?? 0))
  const byDelivery = Map.groupBy(known, ({ deliveryId }) => deliveryId)
  return deliveryUuids.map((uuid) => byDelivery.get(uuid) ?? [])
}

/** The lower bound prunes the partitions that are older than the oldest delivery. */
function attemptsOf(deliveryUuids: readonly string[]): Prisma.AttemptWhereInput {
  return { deliveryId: { in: [...deliveryUuids] }, id: { gte: earliestAttempt(deliveryUuids) } }
}

function earliestAttempt(deliveryUuids: readonly string[]): string {
  const oldest = deliveryUuids.reduce((a, b) => (a < b ? a : b))
  return lowerBoundAt(new Date(timestampOf(oldest).getTime() - MAX_CLOCK_SKEW_MS))
}

async function pageIds(
  sql: Sql,
  counts: ReadonlyMap<string, number>,
  take: number,
  bound: PageBounds['bound'],
): Promise<string[]> {
  const deliveryUuids = [...counts.keys()]
  const { rows } = await sql.query<{ id: string }>(
    `
    select a.id from unnest($1::uuid[], $6::int[]) as owner (id, attempts), lateral (
      select id from posthorn.attempts
      where delivery_id = owner.id and id >= $2 and number <= owner.attempts
        and ($3::uuid is null or id < $3) and ($4::uuid is null or id > $4)
      order by number ${take > 0 ? 'desc' : 'asc'} limit $5
    ) as a`,
    [
      deliveryUuids,
      earliestAttempt(deliveryUuids),
      bound && 'lt' in bound ? bound.lt : null,
      bound && 'gt' in bound ? bound.gt : null,
      Math.abs(take),
      [...counts.values()],
    ],
  )
  return rows.map(({ id }) => id)
}

/** Adds to the selection the columns that assign the rows to their deliveries. */
function withOwner<Query extends Selection>(query: Query): Query {
  if (!query.select) return query
  return { ...query, select: { ...query.select, deliveryId: true, number: true } }
}

import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Delivery, Prisma } from '../../db/generated/prisma/client.ts'
import { boundConditions, type Page, type PageBounds, pageOf, pageOrder } from '../../db/page.ts'
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

/** `pageSql` selects the ids of a page of the owner `owner.id`, the `owner.n`th. */
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
    `select owner.id as owner, array(${page}) as ids
     from unnest(${add(owners)}::uuid[]) with ordinality as owner (id, n)`,
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
 * A page of attempts for each of several deliveries, in their order, newest first, with two statements. Attempts that were
 * recorded after the delivery was read are left out: its state, which was read with `attemptCount`, knows nothing of them.
 */
export async function findAttemptsOfEach(
  deps: Deps,
  deliveries: readonly Pick<Delivery, 'id' | 'attemptCount'>[],
  query: Selection & Page,
): Promise<Attempt[][]> {
  const uuids = deliveries.map(({ id }) => id)
  return await readPages(deps, uuids, query, ({ take, bound }, add) => {
    const conditions = [
      'a.delivery_id = owner.id',
      `a.number <= (${add(deliveries.map(({ attemptCount }) => attemptCount))}::int[])[owner.n::int]`,
      `a.id >= ${add(earliestAttempt(uuids))}`,
      ...boundConditions('a.id', bound, add),
    ]
    return `
      select a.id from posthorn.attempts as a where ${conditions.join(' and ')}
      order by a.number ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`
  })
}

/** A lower bound, which prunes the partitions that are older than the oldest delivery. */
function earliestAttempt(deliveryUuids: readonly string[]): string {
  const oldest = deliveryUuids.reduce((a, b) => (a < b ? a : b))
  return lowerBoundAt(new Date(timestampOf(oldest).getTime() - MAX_CLOCK_SKEW_MS))
}

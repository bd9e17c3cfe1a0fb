import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Delivery, Prisma } from '../../db/generated/prisma/client.ts'
import { boundConditions, type Page, type PageBounds } from '../../db/page.ts'
import { pagesOfEach } from '../../db/pages-of-each.ts'
import type { AddValue } from '../../db/parameters.ts'
import { byIds } from '../../db/selection.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import { type AttemptFilter, attemptPage } from './attempt-filter.ts'

type Selection = Pick<Prisma.AttemptFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** A page of attempts for each of several webhooks, or of the organization, in their order, newest first. */
export async function findAttempts(
  { prisma, sql }: Deps,
  organizationId: string,
  webhookUuids: readonly string[] | null,
  filter: AttemptFilter,
  query: Selection & Page,
): Promise<Attempt[][]> {
  const owner = webhookUuids ? 'webhook_id' : undefined
  return await pagesOfEach(
    sql,
    webhookUuids ?? [organizationId],
    query,
    (bounds, add) => attemptPage(filter, { organization: add(organizationId), owner }, bounds, add),
    (found) => prisma.attempt.findMany(found),
  )
}

/** The organization's attempts with these uuids, by uuid. */
export const findAttemptsByIds = byIds<Attempt, Selection>((db, found) =>
  db.attempt.findMany(found),
)

/** Attempt ids are later than their delivery's id, except for differences between clocks. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1_000

/**
 * A page of attempts for each of several deliveries, in their order, newest first, with two statements. Attempts that were
 * recorded after the delivery was read are left out: its state, which was read with `attemptCount`, knows nothing of them.
 */
export async function findAttemptsOfEach(
  { prisma, sql }: Deps,
  deliveries: readonly Pick<Delivery, 'id' | 'attemptCount'>[],
  query: Selection & Page,
): Promise<Attempt[][]> {
  const uuids = deliveries.map(({ id }) => id)
  const pageSql = ({ take, bound }: PageBounds, add: AddValue) => {
    const conditions = [
      'a.delivery_id = owner.id',
      `a.number <= (${add(deliveries.map(({ attemptCount }) => attemptCount))}::int[])[owner.n::int]`,
      `a.id >= ${add(earliestAttempt(uuids))}`,
      ...boundConditions('a.id', bound, add),
    ]
    return `
      select a.id from posthorn.attempts as a where ${conditions.join(' and ')}
      order by a.number ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`
  }
  const find = (found: Prisma.AttemptFindManyArgs) => prisma.attempt.findMany(found)
  return await pagesOfEach(sql, uuids, query, pageSql, find)
}

/** A lower bound, which prunes the partitions that are older than the oldest delivery. */
function earliestAttempt(deliveryUuids: readonly string[]): string {
  const oldest = deliveryUuids.reduce((a, b) => (a < b ? a : b))
  return lowerBoundAt(new Date(timestampOf(oldest).getTime() - MAX_CLOCK_SKEW_MS))
}

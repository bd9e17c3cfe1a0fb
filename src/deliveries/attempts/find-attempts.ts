import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'

type Selection = Pick<Prisma.AttemptFindManyArgs, 'select' | 'include'>

/** Attempts are made after their delivery; more than clocks ever differ by. */
const CLOCK_SLACK_MS = 60 * 60 * 1_000

/**
 * A page of the attempts of each of several deliveries, oldest first, in the order of the deliveries. Of each, no more
 * than the page holds are read, by one statement for first pages and by two for others.
 */
export async function findAttemptsOfEach(
  deps: { readonly prisma: Db; readonly sql: Sql },
  deliveryUuids: readonly string[],
  query: Selection & Page,
): Promise<Attempt[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'oldest first')
  const { id: bound } = where
  const found =
    take >= 0 && !bound
      ? await deps.prisma.attempt.findMany({
          ...withKeys(selection),
          // They are numbered from 1, so the first are known without counting.
          where: { ...attemptsOf(deliveryUuids), number: { lte: take } },
          orderBy: { number: 'asc' },
        })
      : await deps.prisma.attempt.findMany({
          ...withKeys(selection),
          where: { id: { in: await pageIds(deps.sql, deliveryUuids, take, bound) } },
          orderBy: { number: 'asc' },
        })
  const byDelivery = Map.groupBy(found, ({ deliveryId }) => deliveryId)
  return deliveryUuids.map((uuid) => byDelivery.get(uuid) ?? [])
}

/** The lower bound leaves the partitions aside that are older than the oldest delivery. */
function attemptsOf(deliveryUuids: readonly string[]): Prisma.AttemptWhereInput {
  return { deliveryId: { in: [...deliveryUuids] }, id: { gte: earliestAttempt(deliveryUuids) } }
}

function earliestAttempt(deliveryUuids: readonly string[]): string {
  const oldest = deliveryUuids.reduce((a, b) => (a < b ? a : b))
  return lowerBoundAt(new Date(timestampOf(oldest).getTime() - CLOCK_SLACK_MS))
}

async function pageIds(
  sql: Sql,
  deliveryUuids: readonly string[],
  take: number,
  bound: { readonly lt: string } | { readonly gt: string } | undefined,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `
    select a.id from unnest($1::uuid[]) as owner (id), lateral (
      select id from posthorn.attempts
      where delivery_id = owner.id and id >= $2
        and ($3::uuid is null or id < $3) and ($4::uuid is null or id > $4)
      order by number ${take > 0 ? 'asc' : 'desc'} limit $5
    ) as a`,
    [
      deliveryUuids,
      earliestAttempt(deliveryUuids),
      bound && 'lt' in bound ? bound.lt : null,
      bound && 'gt' in bound ? bound.gt : null,
      Math.abs(take),
    ],
  )
  return rows.map(({ id }) => id)
}

/** The rows must say which delivery they belong to, whether or not it was asked for. */
function withKeys<Query extends Selection>(query: Query): Query {
  return query.select ? { ...query, select: { ...query.select, deliveryId: true } } : query
}

import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'

interface FindDeps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * The parked delivery of the oldest event for each webhook, with two statements. The index deliveries_parked has those
 * with priority apart from the others.
 */
export async function findOldestParked(
  { prisma, sql }: FindDeps,
  webhookIds: readonly string[],
  selection: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>,
): Promise<(Delivery | null)[]> {
  const { rows } = await sql.query<{ id: string | null }>({
    name: 'find_oldest_parked',
    text: `
      select (
        select first.id from unnest(array[false, true]) as priority (given), lateral (
          select d.id, d.event_id from posthorn.deliveries as d
          where d.webhook_id = webhook.id and d.has_priority = priority.given and d.parked_at is not null
          order by d.event_id limit 1
        ) as first
        order by first.event_id limit 1
      ) as id
      from unnest($1::uuid[]) with ordinality as webhook (id, n) order by n`,
    values: [webhookIds],
  })
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap(({ id }) => id ?? []) } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  return rows.map(({ id }) => (id === null ? null : (byId.get(id) ?? null)))
}

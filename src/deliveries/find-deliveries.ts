import type { Db, Sql } from '../db/client.ts'
import type { Delivery, DeliveryState, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { notFound } from '../errors.ts'
import { parseId } from '../ids.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

/** What is missing or null does not matter. */
export interface DeliveryFilter {
  readonly webhookUuid?: string | null | undefined
  readonly state?: DeliveryState | null | undefined
  readonly eventType?: string | null | undefined
}

/** A page of the deliveries of an organization, newest first. */
export async function findDeliveries(
  db: Db,
  organizationId: string,
  { webhookUuid, state, eventType }: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.delivery.findMany({
    ...page,
    where: {
      ...where,
      organizationId,
      ...(webhookUuid && { webhookId: webhookUuid }),
      ...(state && { state }),
      ...(typeof eventType === 'string' && { eventType }),
    },
  })
}

/** The delivery with a public id, or `null` when the organization has none such. */
export async function findDeliveryById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Delivery | null> {
  const uuid = parseId('delivery', id)
  if (!uuid) return null
  return await db.delivery.findUnique({ ...selection, where: { id: uuid, organizationId } })
}

/** The same for one that was there a moment ago. Throws `not_found` when it is no more. */
export async function rereadDelivery(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Delivery> {
  const row = await findDeliveryById(db, organizationId, id, selection)
  if (!row) throw notFound('delivery', id)
  return row
}

/**
 * A page for each of several webhooks or events, in their order, by two statements however many they are. (Prisma reads
 * all rows of all of them where it is asked for the first few of each.)
 */
export async function findDeliveriesOfEach(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  owner: 'webhook_id' | 'event_id',
  ownerUuids: readonly string[],
  { state, eventType }: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const bound = where.id ?? {}
  const { rows } = await sql.query<{ owner: string; ids: string[] }>(
    `
    select owner.id as owner, array(
      select d.id from posthorn.deliveries as d
      where d.${owner} = owner.id and d.organization_id = $2
        and ($3::uuid is null or d.id < $3) and ($4::uuid is null or d.id > $4)
        and ($5::posthorn.delivery_state is null or d.state = $5) and ($6::text is null or d.event_type = $6)
      order by d.id ${take > 0 ? 'desc' : 'asc'} limit $7
    ) as ids
    from unnest($1::uuid[]) as owner (id)`,
    [
      ownerUuids,
      organizationId,
      'lt' in bound ? bound.lt : null,
      'gt' in bound ? bound.gt : null,
      state ?? null,
      eventType ?? null,
      Math.abs(take),
    ],
  )
  const ids = rows.flatMap((row) => row.ids)
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: ids } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  const byOwner = new Map(rows.map((row) => [row.owner, take > 0 ? row.ids : row.ids.toReversed()]))
  return ownerUuids.map((uuid) => (byOwner.get(uuid) ?? []).flatMap((id) => byId.get(id) ?? []))
}

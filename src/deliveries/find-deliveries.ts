import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import type { Page } from '../db/page.ts'
import { pagesOfEach } from '../db/pages-of-each.ts'
import { atLeastKey, byIds } from '../db/selection.ts'
import { findSearchKey } from '../event-types/search-key.ts'
import { type DeliveryFilter, deliveryPage } from './delivery-filter.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** Whose deliveries each page has: those of the organization, or of a webhook or event. */
interface Owners {
  readonly organizationId: string
  readonly column?: 'webhook_id' | 'event_id'
  readonly uuids?: readonly string[]
  /** Whether a page has one delivery of each event: the newest that matches. */
  readonly newestOfEvent?: boolean | null | undefined
}

/** A page of deliveries for each owner, in their order, newest first. */
export async function findDeliveries(
  { prisma, sql }: Deps,
  { organizationId, column, uuids = [organizationId], newestOfEvent }: Owners,
  given: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  const { key } = given
  const filter = key ? { ...given, key: await findSearchKey(sql, key) } : given
  return await pagesOfEach(
    sql,
    uuids,
    query,
    (bounds, add) => {
      const scope = { organization: add(organizationId), owner: column }
      return deliveryPage(filter, scope, bounds, add, newestOfEvent === true)
    },
    (found) => prisma.delivery.findMany(found),
  )
}

/** The organization's deliveries with these uuids, by uuid. */
export const findDeliveriesByIds = byIds<Delivery, Selection>((db, found) =>
  db.delivery.findMany(found),
)

/** The organization's delivery with a public id, or `null`. */
export async function findDeliveryById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Delivery | null> {
  const uuid = parseId('delivery', id)
  if (!uuid) return null
  return await db.delivery.findUnique({
    ...atLeastKey(selection),
    where: { id: uuid, organizationId },
  })
}

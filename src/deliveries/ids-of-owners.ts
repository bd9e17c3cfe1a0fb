import type { Sql } from '../db/client.ts'
import type { PageBounds } from '../db/page.ts'
import type { PageOfOwner } from '../db/pages-of-each.ts'
import type { DeliveryFilter } from './delivery-filter.ts'
import { idsOfPage, type Owners, pagesOfOwners } from './ids-of-page.ts'
import { pagesByKey } from './pages-by-key.ts'

/** The ids of a page of deliveries for each owner, with one statement, or three for a search key. */
export async function idsOfOwners(
  sql: Sql,
  owners: Owners,
  filter: DeliveryFilter,
  bounds: PageBounds,
): Promise<PageOfOwner[]> {
  const { key } = filter
  if (key) return await pagesByKey(sql, owners, { ...filter, key }, bounds)
  return await pagesOfOwners(sql, owners, ({ owned, organization, add }) =>
    idsOfPage(owned, filter, bounds, add, { column: owners.column, organization }),
  )
}

import type { Sql } from './client.ts'
import type { PageBounds } from './page.ts'
import { type AddValue, createParameters } from './parameters.ts'

/**
 * The ids of a page for each of several owners, in their order, with one statement. (For the first rows of each owner,
 * Prisma reads all rows of all owners.) `pageSql` selects those of the owner `owner.id`, the `owner.n`th, in the order of
 * the bounds; null if no row can match.
 */
export async function idsOfEach(
  sql: Sql,
  owners: readonly string[],
  bounds: PageBounds,
  pageSql: (bounds: PageBounds, add: AddValue) => string | null,
): Promise<string[][]> {
  const { values, add } = createParameters()
  const page = owners.length > 0 ? pageSql(bounds, add) : null
  if (page === null) return owners.map(() => [])
  const { rows } = await sql.query<{ ids: string[] }>(
    `select array(${page}) as ids from unnest(${add(owners)}::uuid[]) with ordinality as owner (id, n) order by owner.n`,
    values,
  )
  return rows.map(({ ids }) => (bounds.take > 0 ? ids : ids.toReversed()))
}

/** The rows with these ids, in their order. Rows that were deleted in the meantime are missing. */
export function inOrder<Row extends { readonly id: string }>(
  pages: readonly (readonly string[])[],
  rows: readonly Row[],
): Row[][] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return pages.map((ids) => ids.flatMap((id) => byId.get(id) ?? []))
}

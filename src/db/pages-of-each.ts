import type { Sql } from './client.ts'
import { type Page, type PageBounds, pageOf } from './page.ts'
import { type AddValue, createParameters } from './parameters.ts'

/**
 * A page of rows for each of several owners, in their order, newest first, with two statements. (For the first rows of each
 * owner, Prisma reads all rows of all owners.) `pageSql` selects the ids of the owner `owner.id`, the `owner.n`th, in the
 * order of the bounds; null if no row can match. Rows that are deleted before `find` reads them are missing.
 */
export async function pagesOfEach<Row extends { readonly id: string }, Query extends Page>(
  sql: Sql,
  owners: readonly string[],
  query: Query,
  pageSql: (bounds: PageBounds, add: AddValue) => string | null,
  find: (
    found: Omit<Query, keyof Page> & { readonly where: { readonly id: { readonly in: string[] } } },
  ) => Promise<readonly Row[]>,
): Promise<Row[][]> {
  const { take, skip: _skip, cursor: _cursor, ...selection } = query
  const { where } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const page = owners.length > 0 ? pageSql({ take, bound: where.id }, add) : null
  if (page === null) return owners.map(() => [])
  const { rows: pages } = await sql.query<{ ids: string[] }>(
    `select array(${page}) as ids from unnest(${add(owners)}::uuid[]) with ordinality as owner (id, n) order by owner.n`,
    values,
  )
  const rows = await find({ ...selection, where: { id: { in: pages.flatMap(({ ids }) => ids) } } })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return pages.map(({ ids }) =>
    (take > 0 ? ids : ids.toReversed()).flatMap((id) => byId.get(id) ?? []),
  )
}

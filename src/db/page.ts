/** The pagination arguments of Prisma: `take` rows after the cursor or, if `take` is negative, before it. */
export interface Page {
  readonly take: number
  readonly skip?: number
  readonly cursor?: { readonly id?: string | undefined } | undefined
}

export type Order = 'newest first' | 'oldest first'

interface PageArguments {
  readonly take: number
  readonly orderBy: { readonly id: 'asc' | 'desc' }
  readonly where: { readonly id?: { readonly lt: string } | { readonly gt: string } }
}

/**
 * Turns the cursor of a page into a condition on the id; ids are ordered by time. A Prisma cursor would return an empty
 * page once the row of the cursor is deleted.
 */
export function pageOf<Query extends Page>(
  query: Query,
  order: Order,
): Omit<Query, keyof Page> & PageArguments {
  const { cursor, skip: _, take, ...selection } = query
  const descending = order === 'newest first'
  const readsDownwards = descending === take > 0
  const where = cursor?.id ? { id: readsDownwards ? { lt: cursor.id } : { gt: cursor.id } } : {}
  return { ...selection, take, orderBy: { id: descending ? 'desc' : 'asc' }, where }
}

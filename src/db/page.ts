/** A page as cursor pagination asks for it: `take` rows after the cursor or, when negative, before it. */
export interface Page {
  readonly take: number
  readonly skip?: number
  readonly cursor?: { readonly id?: string | undefined } | undefined
}

/** The end of the list that its first row comes from. */
export type Order = 'newest first' | 'oldest first'

interface PageArguments {
  readonly take: number
  readonly orderBy: { readonly id: 'asc' | 'desc' }
  readonly where: { readonly id?: { readonly lt: string } | { readonly gt: string } }
}

/**
 * The same page with its cursor turned into a condition on the id itself: ids are ordered by time. (Prisma looks up the
 * row of a cursor first, and answers with nothing once that row is gone.)
 */
export function pageOf<Query extends Page>(
  query: Query,
  order: Order,
): Omit<Query, keyof Page> & PageArguments {
  const { cursor, skip: _, take, ...selection } = query
  const descending = order === 'newest first'
  const towardsSmaller = descending === take > 0
  const where = cursor?.id ? { id: towardsSmaller ? { lt: cursor.id } : { gt: cursor.id } } : {}
  return { ...selection, take, orderBy: { id: descending ? 'desc' : 'asc' }, where }
}

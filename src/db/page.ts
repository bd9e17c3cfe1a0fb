/** A page as cursor pagination asks for it: `take` rows after the cursor or, when negative, before it. */
export interface Page {
  readonly take: number
  readonly cursor?: { readonly id?: string } | undefined
}

/** The end of the list that its first row comes from. */
export type Order = 'newest first' | 'oldest first'

/**
 * Where a page lies, told by the cursor's id itself: ids are ordered by time. (Prisma's own cursor looks its row up
 * first, and answers with nothing once that row is gone.)
 */
export function pageOf(
  { take, cursor }: Page,
  order: Order,
): {
  take: number
  orderBy: { id: 'asc' | 'desc' }
  where: { id?: { lt: string } | { gt: string } }
} {
  const descending = order === 'newest first'
  const orderBy = { id: descending ? ('desc' as const) : ('asc' as const) }
  if (!cursor?.id) return { take, orderBy, where: {} }
  const towardsSmaller = descending === take > 0
  return { take, orderBy, where: { id: towardsSmaller ? { lt: cursor.id } : { gt: cursor.id } } }
}

/** The ids of a page of one owner, as selected. */
export interface PageOfOwner {
  readonly owner: string
  readonly ids: readonly string[]
}

/**
 * Arranges the rows of several owners' pages in the order of the owners. A negative `take` selected the ids backwards.
 * Rows that were deleted in the meantime are missing.
 */
export function pagesOfEach<Row extends { readonly id: string }>(
  owners: readonly string[],
  pages: readonly PageOfOwner[],
  rows: readonly Row[],
  take: number,
): Row[][] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byOwner = new Map(pages.map(({ owner, ids }) => [owner, ids]))
  return owners.map((owner) => {
    const ids = byOwner.get(owner) ?? []
    return (take > 0 ? ids : ids.toReversed()).flatMap((id) => byId.get(id) ?? [])
  })
}

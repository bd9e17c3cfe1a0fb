/**
 * A selection that Prisma takes: it refuses an empty one, which is what a mutation makes of `{ __typename }`. Selects the
 * key then.
 */
export function atLeastKey<Selection extends { readonly select?: object | null | undefined }>(
  selection: Selection,
  key: 'id' | 'name' = 'id',
): Selection {
  const { select } = selection
  if (!select || Object.keys(select).length > 0) return selection
  return { ...selection, select: { [key]: true } }
}

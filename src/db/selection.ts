/**
 * Adds the key to an empty selection, which Prisma rejects. A mutation that selects only `__typename` has an empty one.
 */
export function atLeastKey<Selection extends { readonly select?: object | null | undefined }>(
  selection: Selection,
  key: 'id' | 'name' | 'organizationId' = 'id',
): Selection {
  const { select } = selection
  if (!select || Object.keys(select).length > 0) return selection
  return { ...selection, select: { [key]: true } }
}

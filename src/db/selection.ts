import type { Db } from './client.ts'

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

type OfIds = { readonly where: { readonly id: { in: string[] }; readonly organizationId: string } }

/** Makes of `find` a function that finds the rows of an organization with some uuids, by uuid. */
export function byIds<Row extends { readonly id: string }, Selection>(
  find: (db: Db, found: Selection & OfIds) => Promise<Row[]>,
) {
  return async (db: Db, organizationId: string, uuids: readonly string[], selection: Selection) => {
    const rows = await find(db, { ...selection, where: { id: { in: [...uuids] }, organizationId } })
    return new Map(rows.map((row) => [row.id, row]))
  }
}

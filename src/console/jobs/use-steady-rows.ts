import { useState } from 'react'

interface SteadyOptions {
  /** Which list this is: of another one, all rows are new. */
  readonly listKey: string
  /** Whether the rows are those of this list already, rather than of the one before. */
  readonly settled: boolean
  /** Whether somebody is at work in the list, so that no row may move. */
  readonly held: boolean
}

interface Kept<Row> {
  readonly listKey: string
  readonly settled: boolean
  readonly rows: readonly Row[] | undefined
}

export type Steady<Row> = Row & {
  /** Whether it is no longer in the list. */
  readonly left: boolean
}

/**
 * Rows that are read again and again. While they are held, each stays where it is and changes in place: none comes in
 * between, and one that is gone only says so.
 */
export function useSteadyRows<Row extends { readonly id: string }>(
  rows: readonly Row[] | undefined,
  { listKey, settled, held }: SteadyOptions,
) {
  const current = { listKey, settled, rows }
  const [kept, setKept] = useState<Kept<Row>>(current)
  if (mayReplace(kept, current, held)) setKept(current)
  return { ...steadyRows(kept.rows, rows), showNow: () => setKept(current) }
}

/** Whether other rows take the place of those that are shown: at once in another list, else while nobody is at work. */
export function mayReplace<Row>(kept: Kept<Row>, current: Kept<Row>, held: boolean): boolean {
  const isOther = kept.listKey !== current.listKey || !kept.settled
  if (held && !isOther) return false
  return (
    kept.rows !== current.rows ||
    kept.listKey !== current.listKey ||
    (!kept.settled && current.settled)
  )
}

/** The rows that are shown as they are now, each in its place. */
export function steadyRows<Row extends { readonly id: string }>(
  shown: readonly Row[] | undefined,
  rows: readonly Row[] | undefined,
) {
  const now = new Map(rows?.map((row) => [row.id, row]))
  const before = new Set(shown?.map(({ id }) => id))
  return {
    rows: shown?.map(
      (row): Steady<Row> => ({ ...(now.get(row.id) ?? row), left: !now.has(row.id) }),
    ),
    /** How many rows there are that are not shown, and how many are shown that are no longer there. */
    more: rows?.filter(({ id }) => !before.has(id)).length ?? 0,
    fewer: shown?.filter(({ id }) => !now.has(id)).length ?? 0,
  }
}

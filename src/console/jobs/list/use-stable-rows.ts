import { useState } from 'react'

interface StableRowsOptions {
  /** Identifies the list (filters and page). Another list replaces all rows. */
  readonly listKey: string
  /** Whether the rows belong to this list already, rather than to the previous one. */
  readonly settled: boolean
  /** Whether the reader is using the list, so that no row may move. */
  readonly frozen: boolean
}

interface Snapshot<Row> {
  readonly listKey: string
  readonly settled: boolean
  readonly rows: readonly Row[] | undefined
}

export type StableRow<Row> = Row & {
  /** Whether the row has left the list. */
  readonly removed: boolean
}

/**
 * Rows that are reloaded periodically. While frozen, rows keep their places and update there: new rows are not
 * inserted, and rows that left the list are marked.
 */
export function useStableRows<Row extends { readonly id: string }>(
  rows: readonly Row[] | undefined,
  { listKey, settled, frozen }: StableRowsOptions,
) {
  const current = { listKey, settled, rows }
  const [snapshot, setSnapshot] = useState<Snapshot<Row>>(current)
  if (mayReplace(snapshot, current, frozen)) setSnapshot(current)
  return { ...stableRows(snapshot.rows, rows), showNow: () => setSnapshot(current) }
}

/** Whether the current rows may replace the snapshot: always for another list, otherwise only while not frozen. */
export function mayReplace<Row>(
  snapshot: Snapshot<Row>,
  current: Snapshot<Row>,
  frozen: boolean,
): boolean {
  const isOther = snapshot.listKey !== current.listKey || !snapshot.settled
  if (frozen && !isOther) return false
  return (
    snapshot.rows !== current.rows ||
    snapshot.listKey !== current.listKey ||
    (!snapshot.settled && current.settled)
  )
}

/** The shown rows in their places, with their current values. */
export function stableRows<Row extends { readonly id: string }>(
  shown: readonly Row[] | undefined,
  rows: readonly Row[] | undefined,
) {
  const now = new Map(rows?.map((row) => [row.id, row]))
  const before = new Set(shown?.map(({ id }) => id))
  return {
    rows: shown?.map(
      (row): StableRow<Row> => ({ ...(now.get(row.id) ?? row), removed: !now.has(row.id) }),
    ),
    /** The number of current rows that are not shown, and of shown rows that are no longer current. */
    more: rows?.filter(({ id }) => !before.has(id)).length ?? 0,
    fewer: shown?.filter(({ id }) => !now.has(id)).length ?? 0,
  }
}

/** The last value that was defined: a list stays visible while the server is unreachable. */
export function useLastValue<Value>(value: Value | null | undefined): Value | undefined {
  const [last, setLast] = useState<Value>()
  if (value === null || value === undefined) return last
  if (value !== last) setLast(() => value)
  return value
}

interface Toggle {
  /** The rows in their order. */
  readonly shown: readonly string[]
  readonly selected: ReadonlySet<string>
  /** The row that was toggled before. */
  readonly anchor: string
  readonly id: string
  /** Whether all rows from the anchor to this one get the new state of this one. */
  readonly through: boolean
}

/** The selection after a row was toggled. */
export function toggled({ shown, selected, anchor, id, through }: Toggle): ReadonlySet<string> {
  const [start, end] = [shown.indexOf(anchor), shown.indexOf(id)].toSorted((a, b) => a - b)
  const isRange = through && start !== undefined && start >= 0
  const rows = isRange ? shown.slice(start, (end ?? start) + 1) : [id]
  const next = new Set(selected)
  for (const row of rows) {
    if (selected.has(id)) next.delete(row)
    else next.add(row)
  }
  return next
}

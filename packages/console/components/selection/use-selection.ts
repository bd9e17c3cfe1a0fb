import { useState } from 'react'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Whether everything that matches the filters is selected, shown or not. `ids` is empty then. */
  readonly isAll: boolean
  has(id: string): boolean
  select(ids: Iterable<string>): void
  /** Selects these of the shown rows. What is selected on other pages stays so. */
  selectShown(shown: readonly string[], chosen: readonly string[]): void
  selectAll(): void
  clear(): void
}

/**
 * The selected rows of a list. They stay selected on other pages, and are forgotten once `listKey` (the filters)
 * changes.
 */
export function useSelection(listKey: string): Selection {
  const none = { listKey, ids: new Set<string>(), isAll: false }
  const [state, setState] = useState(none)
  const { ids, isAll } = state.listKey === listKey ? state : none
  const select = (chosen: Iterable<string>) => setState({ ...none, ids: new Set(chosen) })
  return {
    ids,
    isAll,
    has: (id) => isAll || ids.has(id),
    select,
    selectShown: (shown, chosen) =>
      select([...[...ids].filter((id) => !shown.includes(id)), ...chosen]),
    selectAll: () => setState({ ...none, isAll: true }),
    clear: () => setState(none),
  }
}

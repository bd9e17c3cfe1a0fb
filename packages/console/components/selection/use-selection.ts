import { useState } from 'react'
import { toggled } from './toggled.ts'

const NONE: ReadonlySet<string> = new Set()

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Whether everything that matches the filters is selected, shown or not. `ids` is empty then. */
  readonly isAll: boolean
  has(id: string): boolean
  /** Selects or deselects a row or, with `through`, all shown rows from the one before to it. */
  toggle(id: string, through: boolean): void
  /** Selects all shown rows or, if they are selected, none of them. */
  togglePage(): void
  select(ids: Iterable<string>): void
  selectAll(): void
  clear(): void
}

/**
 * The selected rows of a list. They stay selected on other pages, and are forgotten once `listKey` (the filters)
 * changes.
 */
export function useSelection(shown: readonly string[], listKey: string): Selection {
  const [state, setState] = useState({ listKey, ids: NONE, isAll: false, anchor: '' })
  const isOther = state.listKey !== listKey
  const { ids, isAll, anchor } = isOther ? { ids: NONE, isAll: false, anchor: '' } : state

  function set(next: { ids?: ReadonlySet<string>; isAll?: boolean; anchor?: string }) {
    setState({ listKey, ids: NONE, isAll: false, anchor: '', ...next })
  }

  return {
    ids,
    isAll,
    has: (id) => isAll || ids.has(id),
    toggle(id, through) {
      const from = isAll ? new Set(shown) : ids
      set({ ids: toggled({ shown, selected: from, anchor, id, through }), anchor: id })
    },
    togglePage() {
      const hasPage = shown.every((id) => ids.has(id))
      const others = [...ids].filter((id) => !shown.includes(id))
      set({ ids: isAll ? NONE : new Set(hasPage ? others : [...ids, ...shown]) })
    },
    select: (given) => set({ ids: new Set(given) }),
    selectAll: () => set({ isAll: true }),
    clear: () => set({}),
  }
}

import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'
import { readStored, store } from '../../lib/storage.ts'
import { useSession } from '../../session/session.tsx'

/** A name for filters, columns and order, which are query parameters. */
export interface View {
  readonly name: string
  readonly search: string
}

/** Parameters that belong to one visit. */
const PASSING = { after: null, before: null, task: null }

/** The views of a list that this browser keeps for the organization. */
export function useViews(list: string) {
  const { viewer } = useSession()
  const key = `posthorn-views ${viewer.organization.id} ${list}`
  const [params] = useSearchParams()
  const [views, setViews] = useState(() => readViews(readStored('local', key)))

  function keep(next: readonly View[]) {
    setViews(next)
    store('local', key, JSON.stringify(next))
  }

  return {
    views,
    /** Keeps the filters and the order of the address with these columns. A view of the same name is replaced. */
    save(name: string, columns: string | null) {
      const search = String(changedParams(params, { ...PASSING, columns }))
      keep([...views.filter((view) => view.name !== name), { name, search }])
    },
    /** Another view of the new name goes. */
    rename(name: string, next: string) {
      const others = views.filter((view) => view.name !== next)
      keep(others.map((view) => (view.name === name ? { ...view, name: next } : view)))
    },
    remove: (name: string) => keep(views.filter((view) => view.name !== name)),
  }
}

/** What another version of the console stored may be anything. */
function readViews(stored: string | null): readonly View[] {
  try {
    const views: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

function isView(view: unknown): view is View {
  return (
    typeof view === 'object' &&
    view !== null &&
    'name' in view &&
    typeof view.name === 'string' &&
    'search' in view &&
    typeof view.search === 'string'
  )
}

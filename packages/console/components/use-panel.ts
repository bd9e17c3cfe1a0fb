import { useQueryState } from 'nuqs'
import { useSearchParams } from 'react-router'
import { changedParams } from '../lib/changed-params.ts'

/** A panel whose state is a query parameter (`?key=key_…`): a link opens the panel, and Back closes it. */
export function usePanel(name: string) {
  const [id, setId] = useQueryState(name)
  const [params] = useSearchParams()
  return {
    id,
    /** The link that opens the panel. */
    to: (opened: string) => `?${changedParams(params, { [name]: opened })}`,
    open: (opened: string) => void setId(opened, { history: 'push' }),
    close: () => void setId(null),
  }
}

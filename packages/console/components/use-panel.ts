import { useSearchParams } from 'react-router'
import { changedParams } from '../lib/changed-params.ts'

/** A panel whose state is a query parameter (`?key=key_…`): a link opens the panel, and Back closes it. */
export function usePanel(name: string) {
  const [params, setParams] = useSearchParams()
  const set = (id: string | null, replace = false) =>
    setParams((current) => changedParams(current, { [name]: id }), { replace })
  return {
    id: params.get(name),
    /** The link that opens the panel. */
    to: (id: string) => `?${changedParams(params, { [name]: id })}`,
    /** The link that closes the panel. */
    closed: `?${changedParams(params, { [name]: null })}`,
    open: (id: string) => set(id),
    close: () => set(null, true),
  }
}

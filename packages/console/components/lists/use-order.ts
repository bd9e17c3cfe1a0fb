import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'

/** The order of a list, as a query parameter. Another one starts at the first page. */
export function useOrder() {
  const [params] = useSearchParams()
  const changed = (order: string | null) =>
    changedParams(params, { order, after: null, before: null })
  return {
    order: params.get('order'),
    /** The link that sorts the list. Null for the usual order. */
    to: (order: string | null) => `?${changed(order)}`,
  }
}

export const OLDEST_FIRST = 'OLDEST_FIRST'

/** The column with the time of a list that is newest first. */
export const BY_TIME = { value: OLDEST_FIRST, direction: 'ascending', usual: 'descending' } as const

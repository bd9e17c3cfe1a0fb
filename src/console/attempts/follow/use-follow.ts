import { useSearchParams } from 'react-router'
import { TIME_FILTERS } from '../../components/filters/filter-params.ts'
import { changedParams } from '../../lib/changed-params.ts'

const WITHOUT_TIME = Object.fromEntries(TIME_FILTERS.map((name) => [name, null]))

/** Whether the page follows the attempts, as the query parameter `follow`. It then has no time range and no other pages. */
export function useFollow() {
  const [params, setParams] = useSearchParams()
  const follow = (on: boolean) =>
    setParams((current) =>
      changedParams(current, {
        ...(on && { ...WITHOUT_TIME, after: null, before: null, order: null }),
        follow: on ? 'on' : null,
      }),
    )
  return { following: params.get('follow') !== null, follow }
}

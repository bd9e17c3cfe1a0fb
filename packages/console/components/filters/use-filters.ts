import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'

/**
 * The filters of a list, as query parameters. A change returns to the first page. It replaces the history entry, so
 * that typing does not add one entry for each key.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams()
  const values = readFilters(names, params)

  const set = (changes: Partial<Record<Name, string | null>>) =>
    setParams((current) => changedParams(current, { ...changes, after: null, before: null }), {
      replace: true,
    })
  const active = names.some((name) => values[name] !== null)
  const clear = () =>
    set(Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>)
  return { values, set, active, clear }
}

/** The values of filters in the query parameters of an address. */
export function readFilters<Name extends string>(
  names: readonly Name[],
  params: URLSearchParams,
): Record<Name, string | null> {
  return Object.fromEntries(names.map((name) => [name, params.get(name)])) as Record<
    Name,
    string | null
  >
}

import { parseAsString, useQueryStates } from 'nuqs'

type Values<Name extends string> = Record<Name, string | null>

/**
 * The filters of a list, as query parameters. A change returns to the first page. It replaces the history entry, so
 * that typing does not add one entry for each key.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const parsers = Object.fromEntries(names.map((name) => [name, parseAsString]))
  const [values, setValues] = useQueryStates(parsers)
  const [, setPage] = useQueryStates({ after: parseAsString, before: parseAsString })

  function set(changes: Partial<Values<Name>> | null) {
    void setValues(changes)
    void setPage(null)
  }

  return {
    values: values as Values<Name>,
    set,
    active: names.some((name) => values[name] !== null),
    clear: () => set(null),
  }
}

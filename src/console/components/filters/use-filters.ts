import { useSearchParams } from 'react-router'

/**
 * The filters of a list, kept in the address. Changing one begins at the first page again, and replaces the entry in
 * the history rather than adding one for each key that is typed.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, params.get(name)])) as Record<
    Name,
    string | null
  >

  function set(changes: Partial<Record<Name, string | null>>) {
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        next.delete('after')
        next.delete('before')
        for (const [name, value] of Object.entries(changes) as [Name, string | null][]) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  }

  const active = names.some((name) => values[name] !== null)
  const clear = () =>
    set(Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>)
  return { values, set, active, clear }
}

import { useState } from 'react'
import { type AnyVariables, type UseQueryArgs, useQuery } from 'urql'

/** The data of a query: undefined until the first answer, and kept if the query fails when it runs again. */
export function useData<Data, Variables extends AnyVariables>(
  query: UseQueryArgs<Variables, Data>,
): Data | undefined {
  const [{ data, error }] = useQuery(query)
  const [last, keep] = useState(data)
  if (data && data !== last) keep(data)
  if (error && !last) throw error
  return data ?? last
}

import { useCallback } from 'react'
import { type TypedDocumentNode, type UseQueryArgs, useQuery } from 'urql'

/** A query whose errors `QueryError` shows. `reload` skips the cache. */
export function useRead<Data, Variables extends object>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: Omit<UseQueryArgs, 'query' | 'variables'> = {},
) {
  const [result, execute] = useQuery<Data, Variables>({
    query,
    variables,
    ...options,
  } as UseQueryArgs<Variables, Data>)
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute])
  const { data, error, fetching, stale } = result
  return {
    data,
    error,
    loading: fetching && !data,
    stale: (fetching || stale) && Boolean(data),
    reload,
  }
}

import { useCallback, useState } from 'react'
import { type TypedDocumentNode, type UseQueryArgs, useQuery } from 'urql'
import { describeError } from './request-error.ts'
import { usePolling } from './use-polling.ts'

const RETRY_EVERY_MS = 5_000

/**
 * A query whose errors `QueryError` shows. `reload` skips the cache. While the server is unreachable, the last data
 * stay, and the query repeats every 5 seconds.
 */
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
  const { error, fetching, stale } = result
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute])
  const { isUnreachable } = describeError(error)
  usePolling(isUnreachable ? RETRY_EVERY_MS : null, reload)

  const key = JSON.stringify(variables)
  const [last, setLast] = useState({ key, data: result.data })
  if (result.data && (last.data !== result.data || last.key !== key)) {
    setLast({ key, data: result.data })
  }
  const data = result.data ?? (isUnreachable && last.key === key ? last.data : undefined)
  return {
    data,
    error,
    loading: fetching && !data,
    stale: (fetching || stale) && Boolean(data),
    reload,
  }
}

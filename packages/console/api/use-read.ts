import { useCallback, useEffect, useState } from 'react'
import { type TypedDocumentNode, type UseQueryArgs, useQuery } from 'urql'
import { endPreload } from './preload.ts'
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
  // Other components of the page, whose effects come next, share the preload.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the first answer is there, or on its way
  useEffect(() => queueMicrotask(() => endPreload(query, variables)), [])
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute])
  const { error, fetching, stale } = result
  const isUnreachable = error !== undefined && describeError(error).isUnreachable
  const data = useLast(JSON.stringify(variables), result.data, isUnreachable)

  usePolling(isUnreachable ? RETRY_EVERY_MS : null, reload)

  return {
    data,
    error,
    loading: fetching && !data,
    stale: (fetching || stale) && Boolean(data),
    reload,
  }
}

/** The data, or, while there are none because of an outage, the last ones for the same key. */
function useLast<Data>(key: string, data: Data | undefined, isUnreachable: boolean) {
  const [last, setLast] = useState<{ key: string; data: Data } | null>(null)
  if (data !== undefined && (last?.data !== data || last.key !== key)) setLast({ key, data })
  if (data !== undefined || !isUnreachable) return data
  return last?.key === key ? last.data : undefined
}

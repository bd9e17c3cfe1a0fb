import { useState } from 'react'
import type { TypedDocument } from '../client/typed-document.ts'
import { type Query, usePosthornQuery } from './use-posthorn-query.ts'

/** One page of a list, and the way to the others. */
export interface Pages<Item> extends Omit<Query<unknown>, 'data'> {
  /** The items of the page. Null until the first answer. */
  readonly items: readonly Item[] | null
  /** The number of the page, from 1. */
  readonly page: number
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  next(): void
  previous(): void
  /** What the session may do, such as `webhooks:write`. Empty until the first answer. */
  readonly scopes: readonly string[]
}

interface Connection<Item> {
  readonly nodes: readonly Item[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

interface WithScopes {
  readonly viewer: { readonly scopes: readonly string[] }
}

interface PageVariables {
  first?: number | null | undefined
  after?: string | null | undefined
}

/** The pages of a connection. Another filter starts at the first page. */
export function usePages<Data extends WithScopes, Variables extends PageVariables, Item>(
  document: TypedDocument<Data, Variables>,
  {
    filter,
    pageSize = 20,
  }: { readonly filter?: object | undefined; readonly pageSize?: number | undefined },
  select: (data: Data) => Connection<Item> | null | undefined,
): Pages<Item> & { readonly data: Data | null } {
  const list = JSON.stringify([filter, pageSize])
  const [position, setPosition] = useState<{ list: string; cursors: readonly string[] }>({
    list,
    cursors: [],
  })
  const cursors = position.list === list ? position.cursors : []
  const variables = {
    filter,
    first: pageSize,
    after: cursors.at(-1) ?? null,
  } as unknown as Variables
  const { data, error, isLoading, reload } = usePosthornQuery(document, variables, {
    keepDataOf: list,
  })
  const connection = data && select(data)
  const { hasNextPage = false, endCursor = null } = connection?.pageInfo ?? {}
  const hasNext = hasNextPage && endCursor !== null && !isLoading
  return {
    data,
    items: connection?.nodes ?? null,
    error,
    isLoading,
    reload,
    page: cursors.length + 1,
    hasNext,
    hasPrevious: cursors.length > 0,
    next: () => hasNext && setPosition({ list, cursors: [...cursors, endCursor] }),
    previous: () => setPosition({ list, cursors: cursors.slice(0, -1) }),
    scopes: data?.viewer.scopes ?? [],
  }
}

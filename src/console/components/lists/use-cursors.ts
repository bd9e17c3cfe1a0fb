import { useSearchParams } from 'react-router'

export interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor?: string | null
  readonly endCursor?: string | null
}

/** The current page of a list, as query parameters: Back and shared links lead to the same page. */
export interface Cursors {
  readonly variables: { first?: number; after?: string; last?: number; before?: string }
  /** Whether this is not the first page. */
  readonly moved: boolean
  toNext(endCursor: string): void
  toPrevious(startCursor: string): void
  toStart(): void
}

export const PAGE_SIZE = 25

export function useCursors(size = PAGE_SIZE): Cursors {
  const [params, setParams] = useSearchParams()

  function move(name: 'after' | 'before' | null, cursor = '') {
    setParams((current) => {
      const next = new URLSearchParams(current)
      next.delete('after')
      next.delete('before')
      if (name) next.set(name, cursor)
      return next
    })
  }

  return {
    variables: readCursors(params, size),
    moved: params.has('after') || params.has('before'),
    toNext: (endCursor) => move('after', endCursor),
    toPrevious: (startCursor) => move('before', startCursor),
    toStart: () => move(null),
  }
}

/** The page of a list that an address names. */
export function readCursors(params: URLSearchParams, size = PAGE_SIZE): Cursors['variables'] {
  const before = params.get('before')
  if (before !== null) return { last: size, before }
  const after = params.get('after')
  return after !== null ? { first: size, after } : { first: size }
}

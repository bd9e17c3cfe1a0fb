import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'

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

/** `prefix` tells the parameters of two lists of a page apart. */
export function useCursors(size = PAGE_SIZE, prefix = ''): Cursors {
  const [after, before] = [`${prefix}after`, `${prefix}before`]
  const [params, setParams] = useSearchParams()

  const move = (changes: Record<string, string>) =>
    setParams((current) => changedParams(current, { [after]: null, [before]: null, ...changes }))

  return {
    variables: readCursors(params, size, prefix),
    moved: params.has(after) || params.has(before),
    toNext: (endCursor) => move({ [after]: endCursor }),
    toPrevious: (startCursor) => move({ [before]: startCursor }),
    toStart: () => move({}),
  }
}

/** The page of a list that an address names. */
export function readCursors(
  params: URLSearchParams,
  size = PAGE_SIZE,
  prefix = '',
): Cursors['variables'] {
  const before = params.get(`${prefix}before`)
  if (before !== null) return { last: size, before }
  const after = params.get(`${prefix}after`)
  return after !== null ? { first: size, after } : { first: size }
}

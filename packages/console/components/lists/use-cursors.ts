import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'
import { OLDEST_FIRST } from './use-order.ts'

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
  /** Whether the list, which the server has newest first, is shown from its other end. */
  readonly oldestFirst: boolean
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
    oldestFirst: isOldestFirst(params, prefix),
    moved: params.has(after) || params.has(before),
    toNext: (endCursor) => move({ [after]: endCursor }),
    toPrevious: (startCursor) => move({ [before]: startCursor }),
    toStart: () => move({}),
  }
}

/** The page of a list that an address names. Oldest first, pages are read backwards. */
export function readCursors(
  params: URLSearchParams,
  size = PAGE_SIZE,
  prefix = '',
): Cursors['variables'] {
  const [after, before] = [params.get(`${prefix}after`), params.get(`${prefix}before`)]
  if (isOldestFirst(params, prefix)) {
    if (before !== null) return { first: size, after: before }
    return after !== null ? { last: size, before: after } : { last: size }
  }
  if (before !== null) return { last: size, before }
  return after !== null ? { first: size, after } : { first: size }
}

/** A list with a prefix is one of several of a page, without an order of its own. */
const isOldestFirst = (params: URLSearchParams, prefix: string) =>
  prefix === '' && params.get('order') === OLDEST_FIRST

/** A page that was read backwards, as it is shown. */
export function reversed<Row>(rows: readonly Row[] | undefined, info: PageInfo | undefined) {
  return {
    rows: rows?.toReversed(),
    info: info && {
      hasNextPage: info.hasPreviousPage,
      hasPreviousPage: info.hasNextPage,
      startCursor: info.endCursor ?? null,
      endCursor: info.startCursor ?? null,
    },
  }
}

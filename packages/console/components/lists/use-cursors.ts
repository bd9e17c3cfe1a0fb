import { parseAsString, useQueryStates } from 'nuqs'
import type { PageInfoFragment } from '../../generated/graphql.ts'
import { OLDEST_FIRST } from './use-order.ts'

/** The current page of a list, as query parameters: Back and shared links lead to the same page. */
export interface Cursors {
  readonly variables: { first?: number; after?: string; last?: number; before?: string }
  /** Whether this is not the first page. */
  readonly moved: boolean
  /** Whether the list, which the server has newest first, is shown from its other end. */
  readonly oldestFirst: boolean
  toNext(endCursor: string): void
  toPrevious(startCursor: string): void
}

const PAGE_SIZE = 25

const PARAMS = { after: parseAsString, before: parseAsString, order: parseAsString }

export function useCursors(size = PAGE_SIZE): Cursors {
  const [page, setPage] = useQueryStates(PARAMS, { history: 'push', scroll: true })
  return {
    variables: variablesOf(page, size),
    oldestFirst: page.order === OLDEST_FIRST,
    moved: page.after !== null || page.before !== null,
    toNext: (after) => void setPage({ after, before: null }),
    toPrevious: (before) => void setPage({ after: null, before }),
  }
}

type Page = Readonly<Record<keyof typeof PARAMS, string | null>>

/** Oldest first, pages are read backwards. */
function variablesOf({ after, before, order }: Page, size: number): Cursors['variables'] {
  const isReversed = order === OLDEST_FIRST
  const [from, to] = isReversed ? [before, after] : [after, before]
  if (from) return { first: size, after: from }
  if (to) return { last: size, before: to }
  return isReversed ? { last: size } : { first: size }
}

/** A page that was read backwards, as it is shown. */
export function reversed<Row>(
  rows: readonly Row[] | undefined,
  info: PageInfoFragment | undefined,
) {
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

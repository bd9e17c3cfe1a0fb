import { lowerBoundAt } from '../lib/uuid-v7.ts'
import type { AddValue } from './parameters.ts'

/** The pagination arguments of Prisma: `take` rows after the cursor or, if `take` is negative, before it. */
export interface Page {
  readonly take: number
  readonly skip?: number
  readonly cursor?: { readonly id?: string | undefined } | undefined
}

export type Order = 'newest first' | 'oldest first'

interface PageArguments {
  readonly take: number
  readonly orderBy: { readonly id: 'asc' | 'desc' }
  readonly where: { readonly id?: { readonly lt: string } | { readonly gt: string } }
}

/** The rows of a page: at most `take` in descending order of their ids, or -`take` in ascending order. */
export interface PageBounds {
  readonly take: number
  readonly bound: { readonly lt: string } | { readonly gt: string } | undefined
}

/** SQL: the condition on an id that the bound of a page sets. Empty without a bound. */
export function boundConditions(
  id: string,
  bound: PageBounds['bound'],
  add: AddValue,
): readonly string[] {
  if (!bound) return []
  return ['lt' in bound ? `${id} < ${add(bound.lt)}` : `${id} > ${add(bound.gt)}`]
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export interface TimeRange {
  readonly since?: Date | null | undefined
  /** Before this time. */
  readonly until?: Date | null | undefined
}

/** Ids that all rows of a page in a time range are between, for row comparisons that match an index. */
function idBounds({ since, until }: TimeRange, bound: PageBounds['bound']): [string, string] {
  const lower = since ? lowerBoundAt(since) : FIRST_ID
  const upper = until ? lowerBoundAt(until) : LAST_ID
  if (!bound) return [lower, upper]
  return 'gt' in bound
    ? [bound.gt > lower ? bound.gt : lower, upper]
    : [lower, bound.lt < upper ? bound.lt : upper]
}

/**
 * SQL: the conditions, and the order with the size, of a page in the order of the index on the columns `keys` and the id of
 * `row`. The row comparisons and the order match the index. With an equality, Postgres can prefer the primary key, and then
 * reads all rows for a rare value.
 */
export function indexPage(
  row: string,
  keys: readonly (readonly [column: string, value: string])[],
  range: TimeRange,
  { take, bound }: PageBounds,
  add: AddValue,
): { readonly conditions: readonly string[]; readonly order: string } {
  const columns = [...keys.map(([column]) => column), 'id'].map((column) => `${row}.${column}`)
  const values = keys.map(([, value]) => value)
  const [lower, upper] = idBounds(range, bound).map((id) => [...values, `${add(id)}::uuid`])
  const direction = take > 0 ? 'desc' : 'asc'
  const order = columns.map((column) => `${column} ${direction}`)
  return {
    conditions: [
      `(${columns.join(', ')}) >= (${lower?.join(', ')})`,
      `(${columns.join(', ')}) <= (${upper?.join(', ')})`,
    ],
    order: `order by ${order.join(', ')} limit ${add(Math.abs(take))}`,
  }
}

/** SQL: the order and the size of a page. */
export function pageOrder({ take }: Pick<PageBounds, 'take'>, add: AddValue): string {
  return `order by id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`
}

/**
 * Turns the cursor of a page into a condition on the id; ids are ordered by time. A Prisma cursor would return an empty
 * page once the row of the cursor is deleted.
 */
export function pageOf<Query extends Page>(
  query: Query,
  order: Order,
): Omit<Query, keyof Page> & PageArguments {
  const { cursor, skip: _, take, ...selection } = query
  const descending = order === 'newest first'
  const readsDownwards = descending === take > 0
  const where = cursor?.id ? { id: readsDownwards ? { lt: cursor.id } : { gt: cursor.id } } : {}
  return { ...selection, take, orderBy: { id: descending ? 'desc' : 'asc' }, where }
}

/** At most `take` ids after the cursor or, if `take` is negative, before it. */
export function sliceAround(
  ids: readonly string[],
  cursor: string | undefined,
  take: number,
): string[] {
  const at = cursor === undefined ? -1 : ids.indexOf(cursor)
  if (take >= 0) return ids.slice(at + 1, at + 1 + take)
  const end = at < 0 ? ids.length : at
  return ids.slice(Math.max(0, end + take), end)
}

import type { Sql } from '../../db/client.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import type { News } from './news.ts'

/**
 * A kind of items of an organization, and how to read them from the tables. Resolves once the pages get all later items,
 * oldest first. Null: a client that resumes missed more than `MAX_MISSED`.
 */
export type Topic<Item> = (source: LiveSource, after: Date | null) => Promise<Pages<Item> | null>

export type Pages<Item> = AsyncIterable<readonly Item[]>

export interface LiveSource {
  readonly sql: Sql
  readonly news: News
  readonly organizationId: string
  /** The uuid of the only webhook. Null: all. */
  readonly webhookId: string | null
}

/** A client that missed more reads the lists again, which is faster. */
export const MAX_MISSED = 10_000

export interface StreamItem<Item = unknown> {
  readonly item: Item
  /** The items that were read together, this one included, so that their rows can be loaded together. */
  readonly batch: readonly Item[]
}

/** The rows of a batch are in memory together. */
const MAX_BATCH = 200

export async function* inBatches<Item>(pages: Pages<Item>): AsyncGenerator<StreamItem<Item>, void> {
  for await (const page of pages) {
    for (let i = 0; i < page.length; i += MAX_BATCH) {
      const batch = page.slice(i, i + MAX_BATCH)
      for (const item of batch) yield { item, batch }
    }
  }
}

/** A transaction that gives an item its id, or the time of it, ends within this time. */
const REORDERED_WITHIN_MS = 1_000

/** A client that resumes gets the items of this time before again: it may have been connected to another process. */
const REPEATED_MS = 5_000

export interface PositionedItem {
  /** A UUIDv7 in the order of time. */
  readonly position: string
}

export interface PositionedPage<Item> {
  /** Sorted by position. */
  readonly items: readonly Item[]
  /** Where to go on. */
  readonly reached: string
  readonly isEnd: boolean
}

/**
 * Items after a time, or those that come, in the order of their positions. An item whose transaction ends late comes after
 * those with higher positions that were read before: each look begins somewhat before the end of the last one.
 */
export async function followPositions<Item extends PositionedItem>(
  { sql, news }: Pick<LiveSource, 'sql' | 'news'>,
  after: Date | null,
  read: (after: string) => Promise<PositionedPage<Item>>,
): Promise<AsyncGenerator<readonly Item[], void>> {
  const begin = after ? resumeAt(after) : before(await readTime(sql), REORDERED_WITHIN_MS)
  const old = after ? [] : (await read(begin)).items
  return follow(news, begin, new Set(old.map(({ position }) => position)), read)
}

async function readTime(sql: Sql): Promise<Date> {
  const { rows } = await sql.query<{ now: Date }>('select now()')
  return rows[0]?.now ?? new Date()
}

async function* follow<Item extends PositionedItem>(
  news: News,
  begin: string,
  seen: Set<string>,
  read: (after: string) => Promise<PositionedPage<Item>>,
): AsyncGenerator<readonly Item[], void> {
  for (let place = begin; ; ) {
    const { items, reached, isEnd } = await read(place)
    const fresh = items.filter(({ position }) => !seen.has(position))
    for (const { position } of fresh) seen.add(position)
    yield fresh
    const next = isEnd ? before(timestampOf(reached), REORDERED_WITHIN_MS) : reached
    if (next > place) place = next
    for (const position of seen) if (position <= place) seen.delete(position)
    if (isEnd && !(await news.next())) return
  }
}

/** The position after which a client resumes that got everything up to this time. */
export const resumeAt = (time: Date): string => before(time, REPEATED_MS)

const before = (time: Date, ms: number) => lowerBoundAt(new Date(time.getTime() - ms))

import type { Sql } from '../../db/client.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import type { News } from './news.ts'

/** A kind of items of an organization, and how to read them from the tables. Streams subscribe to a topic. */
export interface Topic<Item> {
  /** Resolves once the pages get all later items, oldest first. Null: a client that resumes missed more than `MAX_MISSED`. */
  open(source: LiveSource, after: Date | null): Promise<Pages<Item> | null>
}

export type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>

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

export async function* inBatches<Item>(pages: Pages<Item>): AsyncGenerator<StreamItem<Item>> {
  for await (const page of pages) {
    for (let i = 0; i < page.length; i += MAX_BATCH) {
      const batch = page.slice(i, i + MAX_BATCH)
      for (const item of batch) yield { item, batch }
    }
  }
}

/** A transaction that gave an item its id, or the time of it, has ended and notified within this time. */
const REORDERED_WITHIN_MS = 5_000

/** Notifies of what may have committed without a notification. */
export const REPEAT = ''

/** Beyond these, a client can get an item twice, which it recognizes by the id. */
const MAX_REMEMBERED = 10_000

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
 * those with higher positions that were read before.
 */
export async function* followPositions<Item extends PositionedItem>(
  news: News,
  after: Date | null,
  read: (after: string) => Promise<PositionedPage<Item>>,
): AsyncGenerator<readonly Item[], void> {
  const first = positionBefore(after ?? news.openedAt)
  const begin = after ? first : lowerBoundAt(news.openedAt)
  let place = begin
  const seen = new Set<string>()
  for (;;) {
    const since = news.takeSince()
    if (since === REPEAT) place = later(positionBefore(timestampOf(place)), begin)
    else if (since) place = later(first, earlier(place, lowerBoundAt(timestampOf(since))))
    const { items, reached, isEnd } = await read(place)
    const fresh = items.filter(({ position }) => !seen.has(position))
    for (const { position } of fresh) seen.add(position)
    for (const oldest of seen) {
      if (seen.size <= MAX_REMEMBERED) break
      seen.delete(oldest)
    }
    yield fresh
    place = reached
    if (isEnd && !(await news.next())) return
  }
}

const later = (a: string, b: string) => (a > b ? a : b)
const earlier = (a: string, b: string) => (a < b ? a : b)

/** The lowest position of an item whose transaction can have ended after this time. */
export function positionBefore(time: Date): string {
  return lowerBoundAt(new Date(time.getTime() - REORDERED_WITHIN_MS))
}

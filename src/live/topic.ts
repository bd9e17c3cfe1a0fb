import type { Sql } from '../db/client.ts'

/** One kind of news of an organization, and how to read it from the tables. Streams subscribe to a topic. */
export interface Topic<Item extends LiveItem = LiveItem> {
  readonly name: string
  /** The pause between two reads, for a topic that may skip states. Default: none. */
  readonly restMs?: number
  /** How often to read without a notification, for news of which nobody notifies. Default: every 10 seconds. */
  readonly pollMs?: number
  /** Whether a stream needs only the newest item. Its client cannot fall behind. Default: false. */
  readonly onlyNewest?: boolean
  /** Called once for all streams of an organization in a process. Returns how to read the items after a UUIDv7. */
  follow(sql: Sql, organizationId: string): (since: string) => Pages<Item>
  /** For streams that resume: the items after a UUIDv7, or null if they are more than `MAX_MISSED`. */
  openMissed?(sql: Sql, scope: LiveScope, since: string): Promise<Pages<Item> | null>
}

/** Items, oldest first. */
export type Pages<Item> = AsyncIterable<readonly Item[]>

export interface LiveItem {
  /** A uuid. */
  readonly webhookId: string
  /** The id of the item, a UUIDv7 in the order of time. Null: a state, which is never read twice. */
  readonly position: string | null
}

export interface LiveScope {
  readonly organizationId: string
  /** The uuid of the only webhook. Null: all. */
  readonly webhookId: string | null
}

/** A client that missed more reads the lists again, which is faster. */
export const MAX_MISSED = 10_000

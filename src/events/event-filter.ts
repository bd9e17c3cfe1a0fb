import type { SearchKey } from '../event-types/find-search-key.ts'

/** Conditions on events. A missing or null field matches every event. */
export interface EventFilter {
  readonly uuid?: string | null | undefined
  readonly type?: string | null | undefined
  /** A value in the data. */
  readonly key?: SearchKey | null | undefined
  /** A value at any search key. Without `key` and `type`. */
  readonly value?: string | null | undefined
  /** The earliest time of publication. */
  readonly since?: Date | null | undefined
  /** Published before this time. */
  readonly until?: Date | null | undefined
}

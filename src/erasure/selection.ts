/** Which events an erasure is about: those with these uuids, those that match a filter, or those of a search key. */
export type Selection =
  | { readonly eventIds: readonly string[] }
  | { readonly filter: ErasureFilter }
  | { readonly key: HashedKey }

/** Conditions on events. A missing or null field matches every event. */
export interface ErasureFilter {
  readonly types?: readonly string[] | null | undefined
  /** The uuids of webhooks. Matches the events with a delivery to one of them. */
  readonly webhookIds?: readonly string[] | null | undefined
  /** The earliest time of publication. */
  readonly since?: Date | null | undefined
  /** Published before this time. */
  readonly until?: Date | null | undefined
}

/** A search key without its value. */
export interface HashedKey {
  readonly path: string
  readonly salt: string
  /** The SHA-256 of the salt and the value, in hexadecimal. */
  readonly hash: string
}

/** The selection in a row or file. JSON has the times as RFC 3339. */
export function readSelection(stored: string): Selection {
  return JSON.parse(stored, (name, json) =>
    (name === 'since' || name === 'until') && json !== null ? new Date(json) : json,
  )
}

/** The id before all others: a cursor at the start. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Which events an erasure is about: those with these uuids, or those with a value at a search key, here its path. */
export type Selection = { readonly eventIds: readonly string[] } | { readonly searchKey: string }

/** The events to erase, with the value of a search key: null for ids. */
export interface SelectedEvents {
  readonly organizationUuid: string
  readonly selection: Selection
  readonly value: string | null
}

/** The id before all others: a cursor at the start. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

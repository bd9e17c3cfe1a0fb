/** An event type as files of the catalogue have it. */
export interface CatalogueType {
  readonly name: string
  readonly description: string
  readonly group: string | null
  /** In their normal form. */
  readonly searchKeys: readonly string[]
  readonly archived: boolean
  /** The text of the JSON Schema, as its author wrote it. Null: any JSON is valid. */
  readonly schema: string | null
  /** The text of an example of the data, as its author wrote it. Null: none. */
  readonly example: string | null
}

export const CATALOGUE_FIELDS = [
  'description',
  'group',
  'searchKeys',
  'archived',
  'schema',
  'example',
] as const satisfies readonly (keyof CatalogueType)[]
export type CatalogueField = (typeof CATALOGUE_FIELDS)[number]

/** What an import leaves out: an event type, or its example. */
export interface Refusal {
  readonly name: string
  /** The reason, the place and the remedy. */
  readonly problem: string
}

/** The event types of a file, before the rules of their fields are checked, and those that cannot be read. */
export interface GivenCatalogue {
  readonly types: readonly GivenType[]
  readonly refused: readonly Refusal[]
}

/** An event type as a file has it, before the rules of its fields are checked. */
export interface GivenType {
  /** Where the event type stands, for errors. */
  readonly place: string
  readonly name: string
  readonly description: unknown
  readonly group: unknown
  readonly searchKeys: unknown
  readonly archived: unknown
  readonly schema: string | null
  readonly example: string | null
}

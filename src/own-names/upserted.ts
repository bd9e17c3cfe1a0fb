/** What an upsert did. */
export interface Upserted {
  /** The public id. */
  readonly id: string
  readonly created: boolean
  /** Whether the call created or changed the object. If not, its revision and the audit log stay the same. */
  readonly changed: boolean
}

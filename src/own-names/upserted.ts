/** What an upsert did. */
export interface Upserted {
  /** The public id. */
  readonly id: string
  readonly created: boolean
  /** Whether the call created or changed the object. If not, its revision and the audit log stay the same. */
  readonly changed: boolean
}

/** What an upsert did, which it adds to the row that it returns. */
const outcomeOf = (row: object) => row as Pick<Upserted, 'created' | 'changed'>

/** The fields of the success of an upsert. */
export const upsertedFields = {
  created: {
    description: 'Whether the call created it.',
    resolve: (row: object) => outcomeOf(row).created,
  },
  changed: {
    description:
      'Whether the call created it or changed one of its values. If not, its revision and the audit log stay the same.',
    resolve: (row: object) => outcomeOf(row).changed,
  },
}

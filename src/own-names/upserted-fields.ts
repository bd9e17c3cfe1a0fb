import type { builder } from '../graphql/builder.ts'
import type { Upserted } from './upserted.ts'

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never

/** The fields of the success of an upsert, whose row also has what the upsert did. */
// biome-ignore lint/suspicious/noExplicitAny: the row of any type
export function upsertedFields(t: PothosSchemaTypes.ObjectFieldBuilder<Types, any>) {
  return {
    created: t.boolean({
      description: 'Whether the call created it.',
      resolve: (row: Pick<Upserted, 'created'>) => row.created,
    }),
    changed: t.boolean({
      description:
        'Whether the call created it or changed one of its values. If not, its revision and the audit log stay the same.',
      resolve: (row: Pick<Upserted, 'changed'>) => row.changed,
    }),
  }
}

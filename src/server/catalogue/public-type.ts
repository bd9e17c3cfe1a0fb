import { OPERATIONAL_PREFIX } from '../../event-types/event-type.ts'
import type { DescribedType } from '../../event-types/follow-catalogue.ts'
import { type SchemaField, schemaFields } from '../../event-types/schema-fields.ts'
import { type ExactJson, printExactJson, toExactJson } from '../../lib/exact-json.ts'
import { receivingJson, type Sender } from './receiving.ts'

/** An event type as partners see it. */
export interface PublicType {
  readonly name: string
  readonly group: string | null
  readonly description: string
  /** The JSON Schema of `data`. Null: any JSON value. */
  readonly schema: ExactJson
  readonly fields: readonly SchemaField[]
  readonly example: ExactJson
  /** The example as indented JSON. Null if there is none. */
  readonly exampleText: string | null
}

export function publicTypes(types: readonly DescribedType[]): PublicType[] {
  return withoutOperational(types).map((type) => ({
    ...type,
    fields: schemaFields(JSON.parse(printExactJson(type.schema))),
    exampleText: type.example === null ? null : printExactJson(type.example, 2),
  }))
}

/** Operational events are for the people who run Posthorn. */
export function withoutOperational(types: readonly DescribedType[]): DescribedType[] {
  return types.filter(({ name }) => !name.startsWith(OPERATIONAL_PREFIX))
}

/** The event types by group, in the order of their names; those without a group come first. */
export function byGroup(types: readonly PublicType[]): Map<string | null, PublicType[]> {
  const groups = Map.groupBy(types, ({ group }) => group)
  return new Map([...groups].toSorted(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)))
}

/** `/event-types.json`. */
export function printPublicJson(types: readonly PublicType[], sender: Sender): string {
  return printExactJson({
    receiving: toExactJson(receivingJson(sender)),
    eventTypes: types.map(({ name, group, description, schema, example }) => ({
      name,
      group,
      description,
      schema,
      example,
    })),
  })
}

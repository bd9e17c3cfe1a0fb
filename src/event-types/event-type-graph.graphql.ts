import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { eventOf, SELECTION_ROOTS } from '../bodies/event-graph/event-schema.ts'
import { createEventType, type SourceType } from '../bodies/event-graph/event-types.ts'
import { typeNameAlone, typeNames } from '../bodies/event-graph/names.ts'
import type { Db } from '../db/client.ts'
import { builder } from '../graphql/builder.ts'
import { requireAtMost } from '../graphql/limits/document-limits.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { readNames } from './find-event-types.ts'

/** Describing a schema costs as much as reading some rows. */
const COMPLEXITY = 2

const SelectableFieldRef = builder.objectRef<SelectableField>('SelectableField').implement({
  description: 'A field of an event type in the event graph, for selections.',
  fields: (t) => ({
    path: t.exposeStringList('path', {
      portal: 'open',
      description: 'The names of the fields from the event type to this one.',
    }),
    name: t.exposeString('name', { portal: 'open', description: 'The name of the field.' }),
    hasFields: t.exposeBoolean('hasFields', {
      portal: 'open',
      description:
        'Whether a selection of this field selects fields of it, which follow with longer paths. None follow where a schema refers to itself, and beyond 8 levels.',
    }),
  }),
})

builder.prismaObjectFields('EventType', (t) => ({
  graphqlType: t.string({
    portal: 'open',
    description:
      'The name of the object type of the event type in the event graph, such as `OrderPaid` for `order.paid`. Selections name it. Of an archived event type, the name that it would have.',
    select: { name: true },
    resolve: ({ name }, _args, { perField, prisma }, info) =>
      perField(info, async (names: string[]) => {
        const all = await readNames(prisma)
        return names.map((one) => typeNameIn(all, one))
      })(name),
  }),
  selectableFields: t.field({
    type: [SelectableFieldRef],
    portal: 'open',
    description:
      'The fields for the properties of `data`, in the order of the schema, each before the fields in it: at most 500. Empty if the schema names no properties. Besides these, an event has `id`, `type`, `occurredAt`, `publishedAt`, `data`, and `previous`, which has the same fields.',
    complexity: { field: COMPLEXITY, multiplier: 1 },
    select: { name: true },
    resolve: ({ name }, _args, { perField, prisma }, info) =>
      perField(info, async (names: string[]) => await findFields(prisma, names))(name),
  }),
}))

/** The types are described in turns, because there can be many. */
async function findFields(
  db: Db,
  names: readonly string[],
): Promise<(readonly SelectableField[])[]> {
  const all = await readNames(db)
  const types = await db.$queryRaw<SourceType[]>`
    select name, description, schema::text from posthorn.event_types where name = any (${names}::text[])`
  let found = 0
  return await takeTurns(names, (name) => {
    const type = types.find((one) => one.name === name)
    const fields = type ? selectableFields(type, typeNameIn(all, name)) : []
    found += fields.length
    requireAtMost('selectable fields of all event types', found)
    return fields
  })
}

function typeNameIn(all: readonly string[], name: string): string {
  return typeNames(all).get(name) ?? typeNameAlone(name)
}

interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  readonly hasFields: boolean
}

/** A schema that refers to itself has fields without end. */
const MAX_LEVELS = 8
const MAX_FIELDS = 500

/** The fields for the properties of `data`, in the order of the schema, each before the fields in it. */
function selectableFields(source: SourceType, typeName: string): SelectableField[] {
  const type = createEventType(source, typeName, eventOf(SELECTION_ROOTS))
  const data = type.getFields()['previous']?.type
  const found: SelectableField[] = []
  if (isObjectType(data)) visit(data, [], [])
  return found

  /** `around`: the types that lead here. None of them is entered again. */
  function visit(
    object: GraphQLObjectType,
    parent: readonly string[],
    around: readonly GraphQLObjectType[],
  ): void {
    const within = [...around, object]
    for (const field of Object.values(object.getFields())) {
      if (found.length >= MAX_FIELDS) return
      const inner = getNamedType(field.type)
      const path = [...parent, field.name]
      found.push({ path, name: field.name, hasFields: isObjectType(inner) })
      if (isObjectType(inner) && path.length < MAX_LEVELS && !within.includes(inner)) {
        visit(inner, path, within)
      }
    }
  }
}

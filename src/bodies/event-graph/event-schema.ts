import {
  buildSchema,
  type GraphQLField,
  GraphQLInt,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import type { Db } from '../../db/client.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import { createEventType, createOtherEvent, INT, type SourceType } from './event-types.ts'
import { typeNames } from './names.ts'

/** The event types that are not archived, with their schemas as their authors wrote them. */
export async function readSourceTypes(db: Db): Promise<SourceType[]> {
  return await db.$queryRaw<SourceType[]>`
    select name, description, schema::text as schema from posthorn.event_types
    where archived_at is null order by name collate "C"`
}

/** The same list has the same names: many selections are compiled for one catalogue. */
const namesOfLists = new WeakMap<readonly SourceType[], ReadonlyMap<string, string>>()

/** The names of the object types of a catalogue, by the names of the event types. */
export function namesOfTypes(types: readonly SourceType[]): ReadonlyMap<string, string> {
  const known = namesOfLists.get(types) ?? typeNames(types.map(({ name }) => name))
  namesOfLists.set(types, known)
  return known
}

const EVENT = `
"""Any JSON value, as it was published: numbers keep their digits."""
scalar JSON @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259")

"""An RFC 3339 time in UTC with milliseconds, such as \`2026-01-31T12:00:00.000Z\`."""
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")

"""An event, of any type. \`... on\` selects what an event of one type has."""
interface Event {
  """The id: \`evt_…\`."""
  id: ID!
  """The name of the event type, such as \`order.paid\`."""
  type: String!
  """When the event occurred, as the publisher says."""
  occurredAt: DateTime!
  """When the event was published."""
  publishedAt: DateTime!
  """The whole data."""
  data: JSON
}
`

type RootFields = Readonly<Record<string, Readonly<Record<string, Partial<AnyField>>>>>
type AnyField = GraphQLField<never, never, never>

/** The root types of a graph of events, in the schema definition language, and what that cannot say of their fields. */
export function eventRoots(definitions: string, fields: RootFields = {}): GraphQLSchema {
  const roots = buildSchema(`${EVENT}${definitions}`)
  for (const [typeName, added] of Object.entries(fields)) {
    const type = roots.getType(typeName) as GraphQLObjectType
    for (const field of Object.values(type.getFields())) {
      Object.assign(field, added[field.name])
      for (const arg of field.args) if (arg.type === GraphQLInt) arg.type = INT
      if (field.type === GraphQLInt) field.type = INT
    }
  }
  return roots
}

/** Selections begin at an event. */
export const SELECTION_ROOTS = eventRoots('type Query { event: Event }')

/** A schema of events alone, for selections. The types whose name is not wanted have no fields. */
export function createSelectionSchema(
  catalogue: readonly SourceType[],
  isWanted: (typeName: string) => boolean,
): GraphQLSchema {
  const names = namesOfTypes(catalogue)
  const types = catalogue.map((type) => {
    const name = names.get(type.name) ?? ''
    return isWanted(name)
      ? createEventType(type, name, eventOf(SELECTION_ROOTS))
      : new GraphQLObjectType({ name, fields: {} })
  })
  return toSchema(SELECTION_ROOTS, types)
}

export function eventOf(roots: GraphQLSchema): GraphQLInterfaceType {
  return roots.getType('Event') as GraphQLInterfaceType
}

/** Tests validate such schemas: names and types follow rules that leave nothing invalid. */
function toSchema(roots: GraphQLSchema, types: GraphQLObjectType[]): GraphQLSchema {
  return new GraphQLSchema({ ...roots.toConfig(), types, assumeValid: true })
}

/** An event type, and what its object type and the types in it take of the heap. */
interface Source extends Omit<SourceType, 'schema'> {
  /** The text of the JSON Schema. Bytes are outside of the heap. */
  readonly json: Buffer | null
  readonly heapBytes: number
}

/** Measured: 4 KB, and 8 bytes for each character of the schema. */
const BYTES_OF_TYPE = 4 * 1024
const BYTES_PER_CHARACTER = 8

/**
 * The event graph of a catalogue. The fields of an event type are made for a schema that wants them: with those of 300 event
 * types with schemas of 10 KB, a schema takes 25 MB of the heap. Schemas share their types.
 */
export class EventGraph {
  readonly #roots: GraphQLSchema
  readonly #sources: ReadonlyMap<string, Source>
  /** What each event has, for event types that a schema does not want. */
  readonly #common: ReadonlyMap<string, GraphQLObjectType>
  /** As long as a schema has them. */
  readonly #made = new Map<string, WeakRef<GraphQLObjectType>>()
  readonly #other: GraphQLObjectType

  constructor(catalogue: readonly SourceType[], roots: GraphQLSchema) {
    const names = namesOfTypes(catalogue)
    this.#roots = roots
    this.#other = createOtherEvent(eventOf(roots))
    this.#sources = new Map(
      catalogue.map(({ schema, ...type }) => {
        const heapBytes = BYTES_OF_TYPE + (schema?.length ?? 0) * BYTES_PER_CHARACTER
        const json = schema === null ? null : Buffer.from(schema)
        return [names.get(type.name) ?? '', { ...type, json, heapBytes }]
      }),
    )
    this.#common = new Map(
      [...this.#sources].map(([name, source]) => [name, this.#create(name, source, null)]),
    )
  }

  /** The event types that conditions on these types are about, and what their types take of the heap. Null: all. */
  wanted(conditions: readonly string[] | null): { names: ReadonlySet<string>; heapBytes: number } {
    const wanted = [...this.#sources].filter(
      ([name]) => conditions?.some((one) => one === name || one.startsWith(`${name}_`)) ?? true,
    )
    const heapBytes = wanted.reduce((sum, [, source]) => sum + source.heapBytes, 0)
    return { names: new Set(wanted.map(([name]) => name)), heapBytes }
  }

  /** A schema that has the fields of these event types. It is made in turns: 1,000 take seconds. */
  async schemaOf(names: ReadonlySet<string>): Promise<GraphQLSchema> {
    const types = await takeTurns([...this.#common], ([name, common]) =>
      names.has(name) ? this.#typeNamed(name) : common,
    )
    return toSchema(this.#roots, [...types, this.#other])
  }

  /** The schema definition of the whole, with descriptions, in turns. The root types have their usual names. */
  async print(): Promise<Buffer<ArrayBuffer>> {
    const known = this.#roots.getTypeMap()
    const roots = typesOf(this.#roots).map(printType)
    const others = await takeTurns([...this.#sources.keys(), null], (name) => {
      const type = name === null ? this.#other : this.#typeNamed(name)
      const types = typesOf(new GraphQLSchema({ types: [type], assumeValid: true }))
      const own = types.filter((one) => !(one.name in known)).map(printType)
      return Buffer.from(`\n${own.join('\n\n')}\n`)
    })
    return Buffer.concat([Buffer.from(`${roots.join('\n\n')}\n`), ...others])
  }

  #typeNamed(name: string): GraphQLObjectType {
    const made = this.#made.get(name)?.deref()
    if (made) return made
    const source = this.#sources.get(name) as Source
    const type = this.#create(name, source, source.json?.toString() ?? null)
    this.#made.set(name, new WeakRef(type))
    return type
  }

  #create(name: string, { json: _, ...source }: Source, schema: string | null) {
    return createEventType({ ...source, schema }, name, eventOf(this.#roots))
  }
}

/** The types that a schema defines, by name. */
function typesOf(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

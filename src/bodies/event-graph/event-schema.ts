import {
  buildSchema,
  GraphQLError,
  type GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLSchema,
  isSpecifiedScalarType,
  parse,
  printSchema,
  printType,
} from 'graphql'
import type { Db } from '../../db/client.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import { createEventType, createOtherEvent, type SourceType } from './event-types.ts'
import { typeNames } from './names.ts'
import { namedTypes } from './plan-selection.ts'

/** The event types that are not archived, with their schemas as their authors wrote them. */
export async function readSourceTypes(db: Db): Promise<SourceType[]> {
  return await db.$queryRaw<SourceType[]>`
    select name, description, schema::text as schema from posthorn.event_types
    where archived_at is null order by name collate "C"`
}

/** The names of the object types of a catalogue, by the names of the event types. */
export function namesOfTypes(types: readonly SourceType[]): ReadonlyMap<string, string> {
  return typeNames(types.map(({ name }) => name))
}

/** What each graph of events has beside its root types, in the schema definition language. */
export const EVENT = `
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

/** Selections begin at an event. */
export const SELECTION_ROOTS = buildSchema(`${EVENT} type Query { event: Event }`)

/** A schema of events alone, for selections. The types that no condition names have no fields. */
export function createSelectionSchema(
  catalogue: readonly SourceType[],
  conditions: ReadonlySet<string>,
): GraphQLSchema {
  const names = namesOfTypes(catalogue)
  const types = catalogue.map((type) => {
    const name = names.get(type.name) ?? ''
    return isNamed(conditions, name)
      ? createEventType(type, name, eventOf(SELECTION_ROOTS))
      : new GraphQLObjectType({ name, fields: {} })
  })
  return toSchema(SELECTION_ROOTS, types)
}

/** Whether a condition names the type of an event, or a type in it. */
function isNamed(conditions: ReadonlySet<string>, typeName: string): boolean {
  return [...conditions].some((one) => one === typeName || one.startsWith(`${typeName}_`))
}

export function eventOf(roots: GraphQLSchema): GraphQLInterfaceType {
  return roots.getType('Event') as GraphQLInterfaceType
}

/** Tests validate such schemas: names and types follow rules that leave nothing invalid. */
function toSchema(roots: GraphQLSchema, types: GraphQLObjectType[]): GraphQLSchema {
  return new GraphQLSchema({ ...roots.toConfig(), types, assumeValid: true })
}

interface Source extends Omit<SourceType, 'schema'> {
  /** The text of the JSON Schema. Bytes are outside of the heap. */
  readonly json: Buffer | null
}

/** What the object type of an event type and the types in it take: measured, 4 KB and 8 bytes for each byte of the schema. */
const heapBytesOf = ({ json }: Source) => 4 * 1024 + 8 * (json?.length ?? 0)

interface SizedSchema {
  readonly schema: GraphQLSchema
  readonly heapBytes: number
}

/**
 * The event graph of a catalogue. A document runs in a schema with the fields of the event types that it names: those of 300
 * event types with schemas of 10 KB take 25 MB of the heap. `maxBytes` is what schemas may take; the least recently used ones
 * are made again.
 */
export class EventGraph {
  readonly #roots: GraphQLSchema
  readonly #maxBytes: number
  readonly #sources: ReadonlyMap<string, Source>
  /** What each event has, for the event types that a document does not name. */
  readonly #common: ReadonlyMap<string, GraphQLObjectType>
  readonly #other: GraphQLObjectType
  readonly #schemas: LruMap<string, SizedSchema>
  #printed: Promise<Buffer<ArrayBuffer>> | undefined

  constructor(catalogue: readonly SourceType[], roots: GraphQLSchema, maxBytes: number) {
    const names = namesOfTypes(catalogue)
    this.#roots = roots
    this.#maxBytes = maxBytes
    this.#sources = new Map(
      catalogue.map(({ schema, ...type }) => {
        const json = schema === null ? null : Buffer.from(schema)
        return [names.get(type.name) ?? '', { ...type, json }]
      }),
    )
    this.#common = new Map(
      [...this.#sources].map(([name, source]) => [name, this.#create(name, source, null)]),
    )
    this.#other = createOtherEvent(eventOf(roots))
    const of = ({ heapBytes }: SizedSchema) => heapBytes
    this.#schemas = new LruMap({ maxEntries: 500, weight: { max: maxBytes, of } })
  }

  /**
   * The schema for a document, with the fields of all event types if it reads the schema. It is made in turns. Throws
   * `LIMIT_EXCEEDED` if its types would take more of the heap than all schemas may.
   */
  async schemaFor(document: string): Promise<GraphQLSchema> {
    const known = this.#schemas.get(document)
    if (known) return known.schema
    const conditions = conditionsOf(document)
    const wanted = new Map(
      [...this.#sources].filter(([name]) => conditions === null || isNamed(conditions, name)),
    )
    const heapBytes = [...wanted.values()].reduce((sum, source) => sum + heapBytesOf(source), 0)
    if (heapBytes > this.#maxBytes) throw tooLarge()
    const types = await takeTurns([...this.#common], ([name, common]) =>
      wanted.has(name) ? this.#typeNamed(name) : common,
    )
    const schema = toSchema(this.#roots, [...types, this.#other])
    this.#schemas.set(document, { schema, heapBytes: heapBytes + document.length })
    return schema
  }

  /** The whole in the schema definition language, with descriptions. The root types have their usual names. */
  print(): Promise<Buffer<ArrayBuffer>> {
    this.#printed ??= this.#print()
    return this.#printed
  }

  /** Type by type, so that the whole is never in the heap. */
  async #print(): Promise<Buffer<ArrayBuffer>> {
    const known = this.#roots.getTypeMap()
    const others = await takeTurns([...this.#sources.keys(), null], (name) => {
      const type = name === null ? this.#other : this.#typeNamed(name)
      const { types } = new GraphQLSchema({ types: [type], assumeValid: true }).toConfig()
      const own = types.filter((one) => !(one.name in known || isSpecifiedScalarType(one)))
      return Buffer.from(own.map((one) => `\n\n${printType(one)}`).join(''))
    })
    return Buffer.concat([Buffer.from(printSchema(this.#roots)), ...others])
  }

  #typeNamed(name: string): GraphQLObjectType {
    const source = this.#sources.get(name) as Source
    return this.#create(name, source, source.json?.toString() ?? null)
  }

  #create(name: string, { json: _, ...source }: Source, schema: string | null) {
    return createEventType({ ...source, schema }, name, eventOf(this.#roots))
  }
}

/** More are refused before the document runs. */
const MAX_TOKENS = 10_000

/** The types that a document names. Null: it reads the schema. What is wrong with the document is said when it runs. */
function conditionsOf(text: string): ReadonlySet<string> | null {
  if (/\b__(schema|type)\b/.test(text)) return null
  try {
    return namedTypes([parse(text, { noLocation: true, maxTokens: MAX_TOKENS })])
  } catch {
    return new Set()
  }
}

function tooLarge(): Error {
  return new GraphQLError(
    'The schemas of the event types that the document reads are too large together. Name fewer event types; /schema-events.graphql has all of them.',
    { extensions: { code: 'LIMIT_EXCEEDED', http: { spec: true, status: 400 } } },
  )
}

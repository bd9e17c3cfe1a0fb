import { EditConflict, IF_REVISION } from '../auth/audit/edit-conflict.ts'
import { builder } from '../graphql/builder.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { decodeNodeId } from '../graphql/node-id.ts'
import { type FieldIssue, fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { InvalidJson, parseJson } from '../lib/parse-json.ts'
import { RETENTION_DAYS } from '../organizations/retention/retention-rules.ts'
import {
  createEventType,
  type EventTypeChanges,
  setEventTypeArchived,
  updateEventType,
} from './edit-event-type.ts'
import { rereadEventType } from './find-event-types.ts'

const SCHEMA =
  'A JSON Schema (2020-12) for the `data` of events: an object of at most 512 KiB, without descriptions and examples, and without external references. Patterns are checked in linear time, so look-around and back-references are rejected. GraphQL and the command line validate against it; the SQL function `posthorn.publish_events` does not.'
const EXAMPLE =
  'An example of the `data` of an event. It must match the schema. `testDelivery` sends it.'
const SEARCH_KEYS =
  'The search keys: at most 8 JSON paths in the `data` of events, such as `$.order.id`, `$.items[0].sku` or `$["order-id"]`. When an event is published, the strings, numbers and booleans at these paths are indexed, so that `events` and `deliveries` find it by them. Longer values than 200 characters, objects, arrays and null are not indexed, nor is an event whose data has `\\u0000` or a lone surrogate.'

const ACCEPT_BROKEN_SELECTIONS =
  'Whether to change the catalogue even if that breaks selections of webhooks: each of them then goes on sending what its selection took when it was saved. Default: false; the error then lists the webhooks.'

const GROUP =
  'The group that the event type belongs to in the catalogue, such as `Orders`: 1 to 100 characters.'

const OF_TYPE = `${RETENTION_DAYS} Null: as long as the organization of the event keeps others.`

function textOf(field: 'schema' | 'example'): string {
  return `The text of the ${field}, in place of \`${field}\`: it is kept to the letter, with its numbers and the order of its names.`
}

const CreateEventTypeInput = builder.inputType('CreateEventTypeInput', {
  description: 'An event type to add to the catalogue.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'The name, such as `event_attendee.joined_event`: at most 128 letters, digits, `_` and `-`, in words joined by dots. It cannot be changed.',
    }),
    description: t.string({
      required: true,
      description: 'What an event of this type means: 1 to 1,000 characters.',
    }),
    schema: t.field({ type: 'JSON', description: `${SCHEMA} Default: any JSON is valid.` }),
    schemaText: t.string({ description: textOf('schema') }),
    example: t.field({ type: 'JSON', description: `${EXAMPLE} Default: none.` }),
    exampleText: t.string({ description: textOf('example') }),
    searchKeys: t.stringList({ description: `${SEARCH_KEYS} Default: none.` }),
    group: t.string({ description: `${GROUP} Default: none.` }),
    retentionDays: t.int({ description: `${OF_TYPE} Default: null.` }),
    acceptBrokenSelections: t.boolean({ description: ACCEPT_BROKEN_SELECTIONS }),
  }),
})

const UpdateEventTypeInput = builder.inputType('UpdateEventTypeInput', {
  description: 'Changes to an event type. Omitted fields keep their values.',
  fields: (t) => ({
    description: t.string({
      description: 'What an event of this type means: 1 to 1,000 characters.',
    }),
    schema: t.field({ type: 'JSON', description: `${SCHEMA} Null removes the schema.` }),
    schemaText: t.string({ description: textOf('schema') }),
    example: t.field({ type: 'JSON', description: `${EXAMPLE} Null removes the example.` }),
    exampleText: t.string({ description: textOf('example') }),
    searchKeys: t.stringList({
      description: `${SEARCH_KEYS} A change applies to events that are published afterwards.`,
    }),
    group: t.string({ description: `${GROUP} Null removes the event type from its group.` }),
    retentionDays: t.int({ description: OF_TYPE }),
    archived: t.boolean({
      description:
        'True archives the event type: it can no longer be published, and webhooks can no longer subscribe to it. Existing subscriptions and events stay. False returns it to the catalogue. Set after the other fields.',
    }),
    ifRevision: t.int({ description: IF_REVISION }),
    acceptBrokenSelections: t.boolean({ description: ACCEPT_BROKEN_SELECTIONS }),
  }),
})

const subject = { required: true, description: 'The id of the event type: `type_…`.' } as const

builder.mutationFields((t) => ({
  createEventType: t.prismaField({
    type: 'EventType',
    description: 'Adds an event type to the catalogue of all organizations.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: { name: 'eventType', description: 'The new event type.' },
    },
    args: {
      input: t.arg({ type: CreateEventTypeInput, required: true, description: 'The event type.' }),
    },
    resolve: async (query, _root, { input }, { prisma, actor }) => {
      const { name, description, searchKeys, group, retentionDays = null } = input
      const type = { name, description, searchKeys: searchKeys ?? [], group: group ?? null }
      // The domain rejects a schema that is not an object.
      const acceptBrokenSelections = input.acceptBrokenSelections === true
      const created = { ...type, retentionDays, ...readPayloads(input) }
      await createEventType(prisma, created, actor, { acceptBrokenSelections })
      return await rereadEventType(prisma, input.name, query)
    },
  }),

  updateEventType: t.prismaField({
    type: 'EventType',
    description:
      'Changes the description, the schema, the example, the search keys, the group or the retention of an event type, archives it or returns it to the catalogue. Published events do not change.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, NotFoundError, EditConflict],
      dataField: { name: 'eventType', description: 'The event type after the change.' },
    },
    args: {
      id: t.arg.id(subject),
      input: t.arg({ type: UpdateEventTypeInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, { prisma, actor }) => {
      const name = nameOf(id)
      const { ifRevision, acceptBrokenSelections, archived, ...given } = input
      const options = { acceptBrokenSelections: acceptBrokenSelections === true }
      const { schema, schemaText, example, exampleText, ...fields } = given
      const payloads = readPayloads({ schema, schemaText, example, exampleText })
      // The domain rejects null for fields that cannot be null.
      const changes = { ...fields, ...payloads } as EventTypeChanges
      if (archived == null || Object.values(changes).some((value) => value !== undefined)) {
        const revision = ifRevision ?? undefined
        await updateEventType(prisma, name, changes, actor, { ifRevision: revision, ...options })
      }
      if (archived != null) await setEventTypeArchived(prisma, name, archived, actor, options)
      return await rereadEventType(prisma, name, query)
    },
  }),
}))

function nameOf(id: string): string {
  const { typename, id: name } = decodeNodeId(id)
  if (typename !== 'EventType' || name === '') throw notFound('event type', id)
  return name
}

/** A schema and an example as input has them: as values, or as the texts of their authors. */
interface GivenPayloads {
  readonly schema?: unknown
  readonly schemaText?: string | null | undefined
  readonly example?: unknown
  readonly exampleText?: string | null | undefined
}

interface ReadPayloads {
  readonly schema?: Record<string, unknown> | null
  readonly schemaText?: string
  readonly example?: unknown
  readonly exampleText?: string
}

/** Parses the texts. A missing field stays missing. Throws `invalid`. */
function readPayloads(given: GivenPayloads): ReadPayloads {
  const issues: FieldIssue[] = []
  const read = { ...readOne('schema', given), ...readOne('example', given) }
  if (issues.length > 0) throw invalid(issues)
  return read

  function readOne(field: 'schema' | 'example', from: GivenPayloads): ReadPayloads {
    const value = from[field]
    const textField = `${field}Text` as const
    const text = from[textField]
    if (text === undefined || text === null) return value === undefined ? {} : { [field]: value }
    if (value !== undefined && value !== null) {
      const detail = `${field} and ${textField} are both given. Send one of them.`
      issues.push({ path: [textField], code: 'ambiguous', detail })
      return {}
    }
    try {
      // Bounds of int64 are numbers that a double does not keep; the text of the schema does.
      const inexact = field === 'schema'
      return { [field]: parseJson(text, { inexact }), [textField]: text.trim() }
    } catch (error) {
      const { message } = error as Error
      const rule = error instanceof InvalidJson ? message : `is not JSON: ${message}.`
      issues.push(fieldIssue([textField], 'malformed', rule))
      return {}
    }
  }
}

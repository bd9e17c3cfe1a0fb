import { rereadEventType } from '../events/find-events.ts'
import { builder } from '../graphql/builder.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import {
  archiveEventType,
  createEventType,
  type EventTypeChanges,
  unarchiveEventType,
  updateEventType,
} from './edit-event-type.ts'

const SCHEMA =
  'A JSON Schema (2020-12) that the `data` of its events must meet when they are published over GraphQL or on the command line; `posthorn.publish_events` in SQL does not check it. An object of at most 64 KiB that refers to nothing outside.'
const EXAMPLE =
  'What the `data` of an event looks like: it must meet the schema, and is what `testDelivery` sends.'

const CreateEventTypeInput = builder.inputType('CreateEventTypeInput', {
  description: 'An event type to add to the catalogue.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'Words of letters, digits, `_` and `-`, joined by dots, such as `event_attendee.joined_event`: at most 128 characters. It cannot be changed later.',
    }),
    description: t.string({
      required: true,
      description: 'What an event of this type says: 1 to 1,000 characters.',
    }),
    schema: t.field({ type: 'JSON', description: `${SCHEMA} Default: any JSON will do.` }),
    example: t.field({ type: 'JSON', description: EXAMPLE }),
  }),
})

const UpdateEventTypeInput = builder.inputType('UpdateEventTypeInput', {
  description: 'What to change of an event type. A field that is left out stays as it is.',
  fields: (t) => ({
    description: t.string({ description: '1 to 1,000 characters.' }),
    schema: t.field({ type: 'JSON', description: `${SCHEMA} Null for none.` }),
    example: t.field({ type: 'JSON', description: `${EXAMPLE} Null for none.` }),
  }),
})

builder.mutationFields((t) => ({
  createEventType: t.prismaField({
    type: 'EventType',
    nullable: true,
    description:
      'Adds a type to the catalogue of all organizations: from now on it can be published and subscribed to. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: { name: 'eventType', description: 'The new type.' },
      result: { description: 'The type was added.' },
      union: { description: 'What `createEventType` answers with.' },
    },
    args: {
      input: t.arg({ type: CreateEventTypeInput, required: true, description: 'The type.' }),
    },
    resolve: async (query, _root, { input }, { prisma, actor }) => {
      const { schema = null, example = null, ...fields } = input
      // The domain refuses a schema that is no object, and says so.
      const type = { ...fields, schema: schema as Record<string, unknown> | null, example }
      await createEventType(prisma, type, actor)
      return await rereadEventType(prisma, input.name, query)
    },
  }),

  updateEventType: t.prismaField({
    type: 'EventType',
    nullable: true,
    description:
      'Changes the description, the schema or the example of a type. What was published stays as it was. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'eventType', description: 'The type after the change.' },
      result: { description: 'The type was changed.' },
      union: { description: 'What `updateEventType` answers with.' },
    },
    args: {
      name: t.arg.string({ required: true, description: 'The name of the type.' }),
      input: t.arg({ type: UpdateEventTypeInput, required: true, description: 'What to change.' }),
    },
    resolve: async (query, _root, { name, input }, { prisma, actor }) => {
      // The domain refuses what is null and may not be, and says so.
      await updateEventType(prisma, name, { ...input } as EventTypeChanges, actor)
      return await rereadEventType(prisma, name, query)
    },
  }),

  archiveEventType: t.prismaField({
    type: 'EventType',
    nullable: true,
    description:
      'Takes a type out of the catalogue: it can no longer be published or newly subscribed to. Subscriptions and what was published stay. Doing it again changes nothing. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [NotFoundError],
      dataField: { name: 'eventType', description: 'The type, archived.' },
      result: { description: 'The type is archived.' },
      union: { description: 'What `archiveEventType` answers with.' },
    },
    args: { name: t.arg.string({ required: true, description: 'The name of the type.' }) },
    resolve: async (query, _root, { name }, { prisma, actor }) => {
      await archiveEventType(prisma, name, actor)
      return await rereadEventType(prisma, name, query)
    },
  }),

  unarchiveEventType: t.prismaField({
    type: 'EventType',
    nullable: true,
    description:
      'Puts an archived type back into the catalogue. Doing it again changes nothing. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [NotFoundError],
      dataField: { name: 'eventType', description: 'The type.' },
      result: { description: 'The type is in the catalogue.' },
      union: { description: 'What `unarchiveEventType` answers with.' },
    },
    args: { name: t.arg.string({ required: true, description: 'The name of the type.' }) },
    resolve: async (query, _root, { name }, { prisma, actor }) => {
      await unarchiveEventType(prisma, name, actor)
      return await rereadEventType(prisma, name, query)
    },
  }),
}))

import { EditConflict, IF_REVISION } from '../auth/audit/edit-conflict.ts'
import { ConflictError, NotFoundError } from '../graphql/errors.ts'
import { type InputFields, mutation } from '../graphql/mutation.ts'
import { decodeNodeId } from '../graphql/node-id.ts'
import { settingInputs } from '../graphql/setting-fields.ts'
import { notFound } from '../lib/errors.ts'
import {
  createEventType,
  type EventTypeChanges,
  type NewEventType,
  updateEventType,
} from './edit-event-type.ts'
import { EVENT_TYPE_NAME, EVENT_TYPE_SETTINGS } from './event-type-settings.ts'

function textInputs(t: InputFields) {
  const text = (field: string) =>
    t.string({
      description: `The text of the ${field}, in place of \`${field}\`: it is kept to the letter, with its numbers and the order of its names.`,
    })
  return {
    schemaText: text('schema'),
    exampleText: text('example'),
    acceptBrokenSelections: t.boolean({
      description:
        'Whether to change the catalogue even if that breaks selections of webhooks: each of them then goes on sending what its selection took when it was saved. Default: false; the error then lists the webhooks.',
    }),
  }
}

mutation('createEventType', {
  description: 'Adds an event type to the catalogue of all organizations.',
  scope: 'admin',
  input: {
    description: 'An event type to add to the catalogue.',
    fields: (t) => ({
      ...settingInputs(t, { name: EVENT_TYPE_NAME, ...EVENT_TYPE_SETTINGS }, 'new'),
      ...textInputs(t),
    }),
  },
  errors: [ConflictError],
  returns: ['eventType', 'EventType', 'The new event type.'],
  run: async ({ input: { acceptBrokenSelections, ...input } }, { prisma, actor }) => {
    const given = input as NewEventType
    await createEventType(prisma, given, actor, { acceptBrokenSelections })
    return given.name
  },
})

mutation('updateEventType', {
  description:
    'Changes the description, the schema, the example, the search keys, the group or the retention of an event type, archives it or returns it to the catalogue. Published events do not change.',
  scope: 'admin',
  args: (t) => ({
    id: t.id({ required: true, description: 'The id of the event type: `type_…`.' }),
  }),
  input: {
    description: 'Changes to an event type. Omitted fields keep their values.',
    fields: (t) => ({
      ...settingInputs(t, EVENT_TYPE_SETTINGS, 'changes'),
      ...textInputs(t),
      archived: t.boolean({
        description:
          'True archives the event type: it can no longer be published, and webhooks can no longer subscribe to it. Existing subscriptions and events stay. False returns it to the catalogue.',
      }),
      ifRevision: t.int({ description: IF_REVISION }),
    }),
  },
  errors: [EditConflict, NotFoundError],
  returns: ['eventType', 'EventType', 'The event type after the change.'],
  run: async ({ id, input }, { prisma, actor }) => {
    const { typename, id: name } = decodeNodeId(id)
    if (typename !== 'EventType' || name === '') throw notFound('event type', id)
    const { ifRevision, acceptBrokenSelections, archived, ...given } = input
    const changes = { ...given, ...(archived != null && { archived }) } as EventTypeChanges
    await updateEventType(prisma, name, changes, actor, { ifRevision, acceptBrokenSelections })
    return name
  },
})

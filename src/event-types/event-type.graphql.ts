import { builder } from '../graphql/builder.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'
import { findEventTypes } from './find-event-types.ts'

builder.prismaNode('EventType', {
  id: { portal: 'open', field: 'name', description: 'The id, which is the name.' },
  nullable: true,
  extensions: { portal: 'by field', ofWebhook: anyEventType },
  select: { name: true },
  fields: (t) => ({
    name: t.exposeString('name', { portal: 'open' }),
    description: t.exposeString('description', { portal: 'open' }),
    schema: t.expose('schema', {
      portal: 'open',
      type: 'JSON',
      nullable: true,
      description:
        'The JSON Schema for the `data` of events. GraphQL and the command line validate against it; the SQL function `posthorn.publish_events` does not. Null: any JSON is valid.',
    }),
    example: t.expose('example', {
      portal: 'open',
      type: 'JSON',
      nullable: true,
      description: 'An example of the `data` of an event. Null if there is none.',
    }),
    searchKeys: t.exposeStringList('searchKeys', { portal: 'open' }),
    revision: t.int({
      portal: 'open',
      description:
        'The revision, which each change increases. As `ifRevision` of `updateEventType`, it reports changes by others.',
      select: { revision: true },
      resolve: ({ revision }) => Number(revision),
    }),
    createdAt: t.expose('createdAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When the event type was created.',
    }),
    updatedAt: t.expose('updatedAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When the event type was last changed.',
    }),
    archivedAt: t.expose('archivedAt', { portal: 'open', type: 'DateTime', nullable: true }),
  }),
})

builder.queryField('eventTypes', (t) =>
  t.prismaField({
    type: ['EventType'],
    description:
      'The catalogue: all event types that can be published and subscribed to, sorted by name. Needs no scope.',
    authScopes: { authenticated: true },
    portal: 'open',
    args: {
      includeArchived: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to include archived event types. Default: false.',
      }),
    },
    resolve: (query, _root, { includeArchived }, { prisma }) =>
      findEventTypes(prisma, { includeArchived: includeArchived === true }, query),
  }),
)

function anyEventType(_session: RestrictedSession, names: readonly string[]): ReadonlySet<string> {
  return new Set(names)
}

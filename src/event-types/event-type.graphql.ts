import { findEventTypes } from '../events/find-events.ts'
import { builder } from '../graphql/builder.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'

builder.prismaNode('EventType', {
  id: { portal: 'open', field: 'name', description: 'Its name.' },
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
        'The JSON Schema that the `data` of its events must meet when they are published over GraphQL or on the command line; `posthorn.publish_events` in SQL does not check it. Null: any JSON.',
    }),
    example: t.expose('example', {
      portal: 'open',
      type: 'JSON',
      nullable: true,
      description: 'What the `data` of an event looks like.',
    }),
    createdAt: t.expose('createdAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When it was added.',
    }),
    updatedAt: t.expose('updatedAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When it was changed last.',
    }),
    archivedAt: t.expose('archivedAt', { portal: 'open', type: 'DateTime', nullable: true }),
  }),
})

builder.queryField('eventTypes', (t) =>
  t.prismaField({
    type: ['EventType'],
    description:
      'The catalogue: every type that can be published and subscribed to, by name. Needs no scope.',
    authScopes: { authenticated: true },
    portal: 'open',
    args: {
      includeArchived: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to answer with archived types too.',
      }),
    },
    resolve: (query, _root, { includeArchived }, { prisma }) =>
      findEventTypes(prisma, { includeArchived: includeArchived === true }, query),
  }),
)

function anyEventType(_session: RestrictedSession, names: readonly string[]): ReadonlySet<string> {
  return new Set(names)
}

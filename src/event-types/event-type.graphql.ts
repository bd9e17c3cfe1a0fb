import type { GraphQLResolveInfo } from 'graphql'
import type { EventType, Prisma } from '../db/generated/prisma/client.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'
import { findEventTypes, findEventTypesByNames } from './find-event-types.ts'

builder.prismaNode('EventType', {
  id: { portal: 'open', field: 'name', description: 'The id: `type_` and the name.' },
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
      'The catalogue: all event types that can be published and subscribed to, sorted by name. A list and no connection, because a form that offers event types reads it whole. Needs no scope.',
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

builder.prismaObjectField('Webhook', 'eventSubscriptions', (t) =>
  t.prismaField({
    type: ['EventType'],
    description:
      'The event types that the webhook receives; at least one. A closed list: `createWebhook` and `updateWebhook` set it whole.',
    select: { eventSubscriptions: true },
    resolve: async (query, { eventSubscriptions }, _args, context, info) => {
      const named = eventTypeNamed(query, context, info)
      return await Promise.all(eventSubscriptions.map((name) => named(name)))
    },
  }),
)

builder.prismaObjectField('Event', 'type', (t) =>
  t.prismaField({
    type: 'EventType',
    portal: 'open',
    description: 'The event type.',
    select: { type: true },
    resolve: (query, { type }, _args, context, info) => eventTypeNamed(query, context, info)(type),
  }),
)

builder.prismaObjectField('Delivery', 'eventType', (t) =>
  t.prismaField({
    type: 'EventType',
    description: 'The type of the event.',
    select: { eventType: true },
    resolve: (query, { eventType }, _args, context, info) =>
      eventTypeNamed(query, context, info)(eventType),
  }),
)

type Selection = Pick<Prisma.EventTypeFindManyArgs, 'select'>

/** Finds an event type by its name. Reads nothing if only the name, and the id made of it, is selected. */
function eventTypeNamed(
  query: Selection,
  { perField, prisma }: Context,
  info: GraphQLResolveInfo,
): (name: string) => EventType | Promise<EventType> {
  const columns = query.select ? Object.keys(query.select) : null
  if (columns?.every((column) => column === 'name')) return (name) => ({ name }) as EventType
  return perField(info, async (names: string[]) => {
    const found = await findEventTypesByNames(prisma, names, query)
    return names.map((name) => found.get(name) as EventType)
  })
}

function anyEventType(_session: RestrictedSession, names: readonly string[]): ReadonlySet<string> {
  return new Set(names)
}

import type { GraphQLResolveInfo } from 'graphql'
import type { Db } from '../db/client.ts'
import type { EventType, Prisma } from '../db/generated/prisma/client.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'
import { addSettingFields } from '../graphql/setting-fields.ts'
import { EVENT_TYPE_SETTINGS } from './event-type-settings.ts'
import {
  expandSubscriptions,
  findEventTypes,
  findEventTypesByNames,
  isPattern,
  readNames,
} from './find-event-types.ts'

const MAX_VERSIONS = 20

builder.prismaObject('EventTypeVersion', {
  description: 'A schema that an event type has or had.',
  fields: (t) => ({
    version: t.exposeInt('version'),
    schema: t.expose('schema', {
      type: 'JSON',
      nullable: true,
      description:
        'The JSON Schema for the `data` of events, with its keys in the order of the author. Null: any JSON was valid.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the event type got the schema.',
    }),
  }),
})

builder.prismaNode('EventType', {
  id: { portal: 'open', field: 'name', description: 'The id: `type_` and the name.' },
  nullable: true,
  extensions: { portal: 'by field', ofWebhook: anyEventType },
  select: { name: true },
  fields: (t) => ({
    name: t.exposeString('name', { portal: 'open' }),
    version: t.exposeInt('version', { portal: 'open' }),
    versions: t.relation('versions', {
      portal: 'open',
      description: `The schemas that the event type has and had, newest first: the last ${MAX_VERSIONS}. Events that were published before a version may not match it.`,
      query: { orderBy: { version: 'desc' }, take: MAX_VERSIONS },
      complexity: { field: 1, multiplier: MAX_VERSIONS },
    }),
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

const { retentionDays: _ofOperators, ...FOR_ALL } = EVENT_TYPE_SETTINGS
addSettingFields('EventType', FOR_ALL)

builder.queryField('eventTypes', (t) =>
  t.prismaField({
    type: ['EventType'],
    description:
      'The catalogue: all event types that can be published and subscribed to, sorted by name. A list and no connection, because a form that offers event types reads it whole. Needs no scope.',
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
      'The event types that the webhook receives today: those that it names, then those of the catalogue that its patterns include. A closed list: `createWebhook` and `updateWebhook` set `subscriptions` whole.',
    select: { eventSubscriptions: true },
    resolve: (query, { eventSubscriptions }, _args, { perField, prisma }, info) =>
      perField(info, async (lists: string[][]) => {
        const catalogue = lists.flat().some(isPattern) ? await readNames(prisma) : []
        const named = lists.map((list) => expandSubscriptions(list, catalogue))
        const find = onlyNames(query) ?? (await finderOf(prisma, named.flat(), query))
        return named.map((names) => names.map(find))
      })(eventSubscriptions),
  }),
)

builder.prismaObjectField('Webhook', 'subscriptions', (t) =>
  t.exposeStringList('eventSubscriptions', {
    description:
      'What the webhook subscribes to, as it was set: names of event types, and patterns such as `order.*` and `*`.',
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
): FindEventType {
  return (
    onlyNames(query) ??
    perField(info, async (names: string[]) => names.map(await finderOf(prisma, names, query)))
  )
}

type FindEventType = (name: string) => EventType | Promise<EventType>

function onlyNames(query: Selection): ((name: string) => EventType) | null {
  const columns = query.select ? Object.keys(query.select) : null
  return columns?.every((column) => column === 'name') ? (name) => ({ name }) as EventType : null
}

async function finderOf(db: Db, names: readonly string[], query: Selection) {
  const found = await findEventTypesByNames(db, names, query)
  return (name: string) => found.get(name) as EventType
}

function anyEventType(_session: RestrictedSession, names: readonly string[]): ReadonlySet<string> {
  return new Set(names)
}

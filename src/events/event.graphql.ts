import { parseId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { withinReach } from '../graphql/context.ts'
import { LARGE_TEXT } from '../graphql/limits/field-complexity.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deliveryBody } from './delivery-body.ts'
import type { EventFilter as EventFilterOfDomain } from './event-filter.ts'
import { PREVIEW_LENGTH, previewsOf } from './event-previews.ts'
import { findEventById, findEvents } from './find-events.ts'

const EventNode = builder.prismaNode('Event', {
  id: { field: 'id', portal: 'open' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'events:read', ofWebhook: eventsOfWebhook, portal: 'by field' },
  select: { id: true, organizationId: true },
  fields: (t) => ({
    occurredAt: t.expose('occurredAt', { type: 'DateTime', portal: 'open' }),
    publishedAt: t.field({
      type: 'DateTime',
      portal: 'open',
      description: 'When the event was published.',
      resolve: ({ id }) => timestampOf(id),
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      portal: 'open',
      description: 'The payload, as JSON values. `dataText` has its text to the letter.',
      complexity: LARGE_TEXT,
      select: { data: true },
      resolve: ({ data }) => new StoredJson(data),
    }),
    previous: t.field({
      type: 'JSON',
      nullable: true,
      portal: 'open',
      description:
        'The payload as it was before the change that the event reports, as JSON values. Null if the publisher gave none.',
      complexity: LARGE_TEXT,
      select: { previous: true },
      resolve: ({ previous }) => (previous === null ? null : new StoredJson(previous)),
    }),
    previousText: t.exposeString('previous', {
      nullable: true,
      portal: 'open',
      description: 'The JSON text of `previous`, to the letter.',
      complexity: LARGE_TEXT,
    }),
    preview: t.string({
      portal: 'open',
      description: `The first ${PREVIEW_LENGTH} characters of the text of the payload.`,
      resolve: ({ id }, _args, context, info) =>
        context.perField(info, (ids: string[]) => previewsOf(context.sql, ids))(id),
    }),
    dataText: t.exposeString('data', {
      portal: 'open',
      description: 'The text of the payload, character for character as published.',
      complexity: LARGE_TEXT,
    }),
    body: t.string({
      portal: 'open',
      select: { id: true, type: true, occurredAt: true, data: true },
      resolve: deliveryBody,
      description:
        'The whole event, as webhooks without a selection or template get it. `Delivery.body` is what a webhook got.',
      complexity: LARGE_TEXT,
    }),
    isTest: t.exposeBoolean('isTest', { portal: 'open' }),
    traceparent: t.exposeString('traceParent', {
      portal: 'open',
      nullable: true,
      description:
        'The W3C trace context that every delivery passes on. Null if the publisher gave none.',
    }),
  }),
})

const EventFilter = builder.inputType('EventFilter', {
  description: 'Selects events. An event must match all given fields.',
  fields: (t) => ({
    id: t.id({ description: 'The event with this id: `evt_…`.' }),
    type: t.string({
      description: 'Events of the event type with this name.',
      validate: textRule,
    }),
    key: t.field({ type: 'SearchKeyFilter', description: 'Events with this value in their data.' }),
    since: t.field({ type: 'DateTime', description: 'Events published at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Events published before this time.' }),
  }),
})

const EventConnection = builder.connectionObject(
  {
    type: EventNode,
    name: 'EventConnection',
    description: 'A page of events.',
  },
  { name: 'EventEdge', description: 'An event in a page.' },
)

organizationFields((t) => ({
  event: t.prismaField({
    type: 'Event',
    nullable: true,
    description: 'The event with this id, or null.',
    authScopes: { scope: 'events:read' },
    portal: findsNode,
    args: { id: t.arg.id({ required: true, description: 'The id of an event: `evt_…`.' }) },
    resolve: (query, organization, { id }, context) =>
      findEventById(context.prisma, organizationOf(organization, context), id, query),
  }),
  events: t.prismaConnection(
    {
      type: 'Event',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The events of the organization, newest first.',
      authScopes: { scope: 'events:read' },
      args: {
        filter: t.arg({ type: EventFilter, description: 'Selects events. Default: all.' }),
      },
      resolve: (query, organization, { filter }, context) =>
        findEvents(context, organizationOf(organization, context), readFilter(filter), query),
    },
    EventConnection,
  ),
}))

function readFilter(
  filter: typeof EventFilter.$inferInput | null | undefined,
): EventFilterOfDomain {
  const { id, ...rest } = filter ?? {}
  return { ...rest, uuid: id == null ? null : eventUuidOf(id) }
}

function eventUuidOf(id: string): string {
  const uuid = parseId('event', id)
  if (uuid) return uuid
  throw invalid([
    {
      path: ['filter', 'id'],
      code: 'invalid_argument',
      detail: 'filter.id must be the id of an event: evt_….',
    },
  ])
}

function eventsOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select distinct event_id as id from posthorn.deliveries where webhook_id = $1 and event_id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}

/** Is parsed when the response is written, so that the values of a page are not in memory together. */
class StoredJson {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.#text)
  }
}

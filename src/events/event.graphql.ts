import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { resolveCursorConnection } from '@pothos/plugin-relay'
import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import type { Event, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { argumentError, MAX_PAGE_SIZE, PAGE_SIZE } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf, withinReach } from '../graphql/context.ts'
import { LARGE_TEXT } from '../graphql/limits/field-complexity.ts'
import { selectionOfRows } from '../graphql/list-connection.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deliveryBody } from './delivery-body.ts'
import type { EventFilter as EventFilterOfDomain } from './event-filter.ts'
import { PREVIEW_LENGTH, previewsOf } from './event-previews.ts'
import { findEventById, findEvents } from './find-events.ts'
import { MAX_PATHS } from './find-events-by-key.ts'
import { findEventsByUuids } from './find-events-by-uuids.ts'
import { hiddenFrom } from './hidden-payloads.ts'
import { PayloadState } from './payload-state-enum.ts'
import { type EventScan, SCAN_SECONDS, scanEvents } from './scan-events.ts'

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
      description:
        'The payload, as JSON values. Null if `payloadState` is not KEPT. `dataText` has its text to the letter.',
      complexity: LARGE_TEXT,
      select: { id: true, data: true, erasedAt: true },
      resolve: async ({ id, data, erasedAt }, _args, context, info) =>
        erasedAt === null && !(await isHidden(context, info, id)) ? new StoredJson(data) : null,
    }),
    previous: t.field({
      type: 'JSON',
      nullable: true,
      portal: 'open',
      description:
        'The payload as it was before the change that the event reports, as JSON values. Null if the publisher gave none, or `payloadState` is not KEPT.',
      complexity: LARGE_TEXT,
      select: { id: true, previous: true },
      resolve: async ({ id, previous }, _args, context, info) =>
        previous === null || (await isHidden(context, info, id)) ? null : new StoredJson(previous),
    }),
    previousText: t.string({
      nullable: true,
      portal: 'open',
      description: 'The JSON text of `previous`, to the letter.',
      complexity: LARGE_TEXT,
      select: { id: true, previous: true },
      resolve: async ({ id, previous }, _args, context, info) =>
        (await isHidden(context, info, id)) ? null : previous,
    }),
    preview: t.string({
      nullable: true,
      portal: 'open',
      description: `The first ${PREVIEW_LENGTH} characters of the text of the payload. Null if \`payloadState\` is not KEPT.`,
      resolve: async ({ id }, _args, context, info) =>
        (await isHidden(context, info, id))
          ? null
          : await context.perField(info, (ids: string[]) => previewsOf(context.sql, ids))(id),
    }),
    dataText: t.string({
      nullable: true,
      portal: 'open',
      description:
        'The text of the payload, character for character as published. Null if `payloadState` is not KEPT.',
      complexity: LARGE_TEXT,
      select: { id: true, data: true, erasedAt: true },
      resolve: async ({ id, data, erasedAt }, _args, context, info) =>
        erasedAt === null && !(await isHidden(context, info, id)) ? data : null,
    }),
    body: t.string({
      nullable: true,
      portal: 'open',
      select: { id: true, type: true, occurredAt: true, data: true, erasedAt: true },
      resolve: async ({ erasedAt, ...event }, _args, context, info) =>
        erasedAt === null && !(await isHidden(context, info, event.id))
          ? deliveryBody(event)
          : null,
      description:
        'The whole event, as webhooks without a selection or template get it. Null if `payloadState` is not KEPT. `Delivery.body` is what a webhook got.',
      complexity: LARGE_TEXT,
    }),
    payloadState: t.field({
      type: PayloadState,
      portal: 'open',
      description: 'Whether the payload is still there.',
      select: { id: true, erasedAt: true, unkeptBytes: true },
      resolve: async ({ id, erasedAt, unkeptBytes }, _args, context, info) => {
        if (erasedAt !== null) return unkeptBytes === null ? 'erased' : 'not_kept'
        return (await isHidden(context, info, id)) ? 'not_kept' : 'kept'
      },
    }),
    unkeptBytes: t.exposeInt('unkeptBytes', {
      nullable: true,
      portal: 'open',
      description:
        'The size of a payload that was erased because it is not kept after its deliveries, in bytes. Null otherwise.',
    }),
    isTest: t.exposeBoolean('isTest', { portal: 'open' }),
    erasedAt: t.expose('erasedAt', {
      type: 'DateTime',
      nullable: true,
      portal: 'open',
      description:
        'When the payload was erased: by `erase`, also with what the receivers answered, or because it is not kept. Null if it was not.',
    }),
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
    }),
    key: t.field({ type: 'SearchKeyFilter', description: 'Events with this value in their data.' }),
    value: t.string({
      description: `Events with exactly this value at any search key, for a value of which nobody knows the key: a string, a number as it is written in the data, \`true\` or \`false\`. Tries at most ${MAX_PATHS} search keys. Not with \`key\` or \`type\`.`,
    }),
    contains: t.string({
      description: `Events with this text in their data as it is sent, where no search key has the value: 1 to 200 characters, case-sensitive, such as \`87012\` or \`"status":"paid"\`. Reads the data of events, newest first, until \`first\` are found or for about ${SCAN_SECONDS} s; while \`pageInfo.hasNextPage\` is true, \`after\` goes on, also after a page without events. It only goes forward. An organization runs one such search at a time; another gets \`RATE_LIMITED\`. Not with \`id\`, \`key\` or \`value\`.`,
      validate: z.string().min(1).max(200).nullish(),
    }),
    since: t.field({ type: 'DateTime', description: 'Events published at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Events published before this time.' }),
  }),
})

const EventConnection = builder.connectionObject(
  {
    type: EventNode,
    name: 'EventConnection',
    description: 'A page of events.',
    fields: (t) => ({
      scannedCount: t.int({
        nullable: true,
        description: 'The number of events that a search with `contains` read. Otherwise null.',
        resolve: (connection) => scanOf(connection)?.scannedCount ?? null,
      }),
      scannedTo: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When the last event that a search with `contains` read was published: it covers all events from then on. Null if none was read, and without `contains`.',
        resolve: (connection) => {
          const lastUuid = scanOf(connection)?.lastUuid ?? null
          return lastUuid === null ? null : timestampOf(lastUuid)
        },
      }),
    }),
  },
  { name: 'EventEdge', description: 'An event in a page.' },
)

const scanOf = (connection: object) => (connection as { readonly scan?: EventScan }).scan

/** A search in the data costs as much as a query of this many fields. */
const SCAN_COMPLEXITY = 1_000

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
  events: t.connection(
    {
      type: EventNode,
      semanticNonNull: true,
      description: 'The events of the organization, newest first.',
      authScopes: { scope: 'events:read' },
      complexity: ({ filter }) =>
        (filter as { readonly contains?: unknown } | null | undefined)?.contains == null
          ? {}
          : { field: SCAN_COMPLEXITY },
      args: {
        filter: t.arg({ type: EventFilter, description: 'Selects events. Default: all.' }),
      },
      resolve: async (organization, { filter, ...page }, context, info) => {
        const organizationId = organizationOf(organization, context)
        const query = selectionOfRows<Prisma.EventFindManyArgs>(context, info)
        const { contains, ...read } = readFilter(filter ?? {})
        return contains == null
          ? await pageOfEvents(context, organizationId, read, page, query)
          : await scannedPage(context, organizationId, { ...read, contains }, page, query)
      },
    },
    EventConnection,
  ),
}))

type PageArguments = PothosSchemaTypes.DefaultConnectionArguments

const cursorOf = (id: string) => formatPrismaCursor({ id }, ['id'])

async function pageOfEvents(
  context: Context,
  organizationId: string,
  filter: EventFilterOfDomain,
  args: PageArguments,
  query: Prisma.EventFindManyArgs,
) {
  const toCursor = ({ id }: Event) => cursorOf(id)
  const { edges, pageInfo } = await resolveCursorConnection<Promise<Event[]>>(
    { args, defaultSize: PAGE_SIZE, maxSize: MAX_PAGE_SIZE, toCursor },
    async ({ after, before, limit, inverted }) => {
      const at = inverted ? before : after
      const cursor = at && { cursor: { id: String(parsePrismaCursor(at)) } }
      const take = inverted ? -limit : limit
      const events = await findEvents(context, organizationId, filter, {
        ...query,
        ...cursor,
        take,
      })
      return inverted ? events.toReversed() : events
    },
  )
  const { startCursor, endCursor } = pageInfo
  return {
    edges,
    pageInfo: { ...pageInfo, startCursor: startCursor || null, endCursor: endCursor || null },
  }
}

/** Its last cursor is that of the last event that was read, so that the next page goes on from there. */
async function scannedPage(
  { sql, prisma }: Context,
  organizationId: string,
  { contains, type, since, until }: EventFilterOfDomain & { readonly contains: string },
  { first, after, last, before }: PageArguments,
  query: Prisma.EventFindManyArgs,
) {
  if (last != null || before != null) {
    throw argumentError([{ path: ['filter', 'contains'], message: 'only goes forward: use first' }])
  }
  if (first === 0) throw argumentError([{ path: ['first'], message: 'must be at least 1' }])
  const scan = await scanEvents(sql, organizationId, {
    ...{ contains, type, since, until, first: first ?? PAGE_SIZE },
    after: after == null ? null : String(parsePrismaCursor(after)),
  })
  const events = await findEventsByUuids(prisma, organizationId, scan.uuids, query)
  const edges = events.map((node) => ({ node, cursor: cursorOf(node.id) }))
  const pageInfo = {
    hasNextPage: !scan.isComplete,
    hasPreviousPage: false,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: scan.lastUuid && cursorOf(scan.lastUuid),
  }
  return { edges, pageInfo, scan }
}

function readFilter({ id, ...rest }: typeof EventFilter.$inferInput) {
  const { type, key, value, contains } = rest
  const others = contains == null ? { key, type } : { id, key, value }
  if (contains != null || value != null) {
    for (const [name, given] of Object.entries(others)) {
      if (given == null) continue
      const detail = `filter.${contains == null ? 'value' : 'contains'} cannot be combined with ${name}.`
      throw invalid([{ path: ['filter', name], code: 'not_supported', detail }])
    }
  }
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

/** Whether the webhook of a restricted session keeps no payload of the event: the event can have one for other webhooks. */
async function isHidden(
  context: Context,
  info: GraphQLResolveInfo,
  eventUuid: string,
): Promise<boolean> {
  const webhookId = callerOf(context).session?.webhookId
  if (webhookId == null) return false
  const run = (uuids: string[]) => hiddenFrom(context.sql, webhookId, uuids)
  return await context.perField(info, run)(eventUuid)
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

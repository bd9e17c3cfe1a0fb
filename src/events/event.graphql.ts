import type { GraphQLResolveInfo } from 'graphql'
import type { Sql } from '../db/client.ts'
import type { Event } from '../db/generated/prisma/client.ts'
import { requireId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import type { SearchKey } from '../event-types/search-key.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, withinReach } from '../graphql/context.ts'
import { LARGE_TEXT } from '../graphql/limits/document-limits.ts'
import { addList } from '../graphql/list.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deliveryBody } from './check-event.ts'
import { findEventById, findEvents, MAX_PATHS } from './find-events.ts'
import { PayloadState } from './payload-state-enum.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    SearchKeyFilter: SearchKey
  }
}

/** What the fields that show a payload have in common. */
const PAYLOAD = {
  nullable: true,
  portal: 'open',
  complexity: LARGE_TEXT,
  select: { id: true, type: true, occurredAt: true, data: true, previous: true, erasedAt: true },
} as const

type Payload = Pick<Event, keyof typeof PAYLOAD.select>

/** A resolver that is null for a payload that is erased or hidden. */
function shown<Value>(show: (event: Payload) => Value) {
  return async (event: Payload, _args: object, context: Context, info: GraphQLResolveInfo) =>
    event.erasedAt === null && !(await isHidden(context, info, event.id)) ? show(event) : null
}

builder.prismaNode('Event', {
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
      ...PAYLOAD,
      type: 'JSON',
      description:
        'The payload, as JSON values. Null if `payloadState` is not KEPT. `dataText` has its text to the letter.',
      resolve: shown(({ data }) => new StoredJson(data)),
    }),
    dataText: t.string({
      ...PAYLOAD,
      description: 'The text of the payload as published. Null if it is not KEPT.',
      resolve: shown(({ data }) => data),
    }),
    previous: t.field({
      ...PAYLOAD,
      type: 'JSON',
      description:
        'The payload as it was before the change that the event reports, as JSON values. Null if the publisher gave none, or `payloadState` is not KEPT.',
      resolve: shown(({ previous }) => previous && new StoredJson(previous)),
    }),
    previousText: t.string({
      ...PAYLOAD,
      description: 'The JSON text of `previous`, to the letter.',
      resolve: shown(({ previous }) => previous),
    }),
    body: t.string({
      ...PAYLOAD,
      description:
        'The whole event, as webhooks without a selection or template get it. Null if `payloadState` is not KEPT. `Delivery.body` is what a webhook got.',
      resolve: shown(deliveryBody),
    }),
    preview: t.string({
      nullable: true,
      portal: 'open',
      description: `The first ${PREVIEW_LENGTH} characters of the text. Null if it is not KEPT.`,
      resolve: async ({ id }, _args, context, info) =>
        (await isHidden(context, info, id))
          ? null
          : await context.perField(info, (ids: string[]) => previewsOf(context.sql, ids))(id),
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
      description: 'The W3C trace context that every delivery passes on, or null.',
    }),
  }),
})

builder.inputType('SearchKeyFilter', {
  description: 'Selects events by a value in their data.',
  fields: (t) => ({
    path: t.string({
      required: true,
      description: 'A search key of an event type, such as `$.order.id`.',
    }),
    equals: t.string({
      required: true,
      description:
        'The exact value at the path: a string, a number as it is written in the data, `true` or `false`. At most 200 characters.',
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
    since: t.field({ type: 'DateTime', description: 'Events published at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Events published before this time.' }),
  }),
})

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
}))

addList('Organization', 'events', 'Event', {
  description: 'The events of the organization, newest first.',
  scope: 'events:read',
  args: (t) => ({
    filter: t.field({ type: EventFilter, description: 'Selects events. Default: all.' }),
  }),
  find: (query, organizationId, { filter }, context) =>
    findEvents(context, organizationId, readFilter(filter ?? {}), query),
})

function readFilter({ id, ...rest }: typeof EventFilter.$inferInput) {
  const { type, key, value } = rest
  for (const [name, given] of Object.entries({ key, type })) {
    if (value == null || given == null) continue
    const detail = `filter.value cannot be combined with ${name}.`
    throw invalid([{ path: ['filter', name], code: 'not_supported', detail }])
  }
  return { ...rest, uuid: id == null ? null : requireId('event', id, ['filter', 'id']) }
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
  const webhookId = context.caller.session?.webhookId
  if (webhookId == null) return false
  const run = async (uuids: string[]) => {
    const hidden = await selectIds(
      context.sql,
      'select distinct event_id as id from posthorn.deliveries where event_id = any ($1::uuid[]) and webhook_id = $2 and is_erased',
      [uuids, webhookId],
    )
    return uuids.map((uuid) => hidden.has(uuid))
  }
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

const PREVIEW_LENGTH = 200

/** The start of the data of each of these events, in their order. Null for an erased one. A list shows it without reading whole payloads. */
async function previewsOf(sql: Sql, uuids: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ id: string; preview: string | null }>(
    `select id, case when erased_at is null then left(data, ${PREVIEW_LENGTH}) end as preview from posthorn.events where id = any ($1::uuid[])`,
    [uuids],
  )
  const byId = new Map(rows.map(({ id, preview }) => [id, preview]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}

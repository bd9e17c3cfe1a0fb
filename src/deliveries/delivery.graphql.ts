import { requireScope } from '../access/scope.ts'
import { parseId, publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { filtersByWebhook, findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { DeliveryFilter as DeliveryFilterOfDomain } from './delivery-filter.ts'
import { findDeliveries, findDeliveriesOfEach, findDeliveryById } from './find-deliveries.ts'

const DeliveryState = builder.enumType('DeliveryState', {
  description: 'The state of a delivery.',
  values: {
    PENDING: {
      value: 'pending',
      description:
        'Queued for its first attempt, scheduled for a retry, or parked in the backlog of its webhook.',
    },
    SUCCEEDED: { value: 'succeeded', description: 'The receiver answered an attempt with 2xx.' },
    EXHAUSTED: {
      value: 'exhausted',
      description:
        'The last attempt of the retry schedule failed. The delivery can still be redelivered.',
    },
    CANCELED: {
      value: 'canceled',
      description: 'The delivery was canceled, or its webhook was deleted.',
    },
  } as const,
})

const ParkedReason = builder.enumType('ParkedReason', {
  description: 'Why a delivery is parked in the backlog of its webhook.',
  values: {
    DISABLED: { value: 'disabled', description: 'The webhook is disabled.' },
    ON_HOLD: {
      value: 'on_hold',
      description: 'The webhook is on hold because its endpoint keeps failing.',
    },
    CONCURRENCY_LIMIT: {
      value: 'concurrency_limit',
      description: 'The webhook is at its concurrency limit.',
    },
    RATE_LIMIT: { value: 'rate_limit', description: 'The webhook is at its rate limit.' },
    ORDERED: {
      value: 'ordered',
      description: 'The webhook is ordered, and an earlier delivery has not finished.',
    },
  } as const,
})

type ParkedReasonValue = typeof ParkedReason.$inferType

const StatusClass = builder.enumType('StatusClass', {
  description: 'The class of an HTTP status code.',
  values: {
    SUCCESS_2XX: { value: 2, description: '2xx: success.' },
    REDIRECTION_3XX: { value: 3, description: '3xx: failure. Redirects are not followed.' },
    CLIENT_ERROR_4XX: { value: 4, description: '4xx: the receiver rejected the request.' },
    SERVER_ERROR_5XX: {
      value: 5,
      description: '5xx, or a status code outside HTTP: the receiver failed.',
    },
    NO_RESPONSE: { value: 0, description: 'No response: a timeout or a connection error.' },
  } as const,
})

const DeliveryFilter = builder.inputType('DeliveryFilter', {
  description: 'Selects deliveries. A delivery must match all given fields.',
  fields: (t) => ({
    state: t.field({ type: DeliveryState, description: 'Deliveries in this state.' }),
    statusClass: t.field({
      type: StatusClass,
      description: 'Deliveries whose last attempt had a response of this class.',
    }),
    webhookId: t.id({ description: 'Deliveries to this webhook, which may be deleted: `wh_…`.' }),
    eventType: t.string({
      description: 'Deliveries of events of this type.',
      validate: textRule,
    }),
    key: t.field({
      type: 'SearchKeyFilter',
      description:
        'Deliveries of events with this value, the newest event first. `since` and `until` are then times of the event. Needs the scope `events:read`.',
    }),
    since: t.field({ type: 'DateTime', description: 'Deliveries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Deliveries created before this time.' }),
  }),
})

const filterArg = {
  type: DeliveryFilter,
  description: 'Selects deliveries. Default: all.',
} as const

const Delivery = builder.prismaNode('Delivery', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: deliveriesOfWebhook },
  select: { id: true },
  fields: (t) => ({
    event: t.relation('event', {
      nullable: true,
      description: 'The event. Null once it is past its retention. Needs the scope `events:read`.',
      authScopes: { scope: 'events:read' },
    }),
    eventType: t.exposeString('eventType'),
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    state: t.expose('state', { type: DeliveryState, description: 'The state of the delivery.' }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'When the delivery was created: when its event was published, or later by a recovery.',
      resolve: ({ id }) => timestampOf(id),
    }),
    attemptCount: t.exposeInt('attemptCount'),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTime', nullable: true }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    parkedAt: t.expose('parkedAt', { type: 'DateTime', nullable: true }),
    parkedReason: t.field({
      type: ParkedReason,
      nullable: true,
      description: 'Why the delivery is parked. Null if it is not parked.',
      select: { parkedReason: true },
      resolve: ({ parkedReason }) => parkedReason as ParkedReasonValue | null,
    }),
    isTest: t.exposeBoolean('isTest'),
  }),
})

const DeliveryConnection = builder.connectionObject(
  { type: Delivery, name: 'DeliveryConnection', description: 'A page of deliveries.' },
  { name: 'DeliveryEdge', description: 'A delivery in a page.' },
)

builder.queryFields((t) => ({
  delivery: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description: 'The delivery with this id, or null. Needs the scope `deliveries:read`.',
    authScopes: { scope: 'deliveries:read' },
    portal: findsNode,
    args: {
      id: t.arg.id({
        required: true,
        description: 'The id of a delivery, which is its `wh-id`: `msg_…`.',
      }),
    },
    resolve: (query, _root, { id }, context) =>
      findDeliveryById(context.prisma, callerOf(context).organizationId, id, query),
  }),
  deliveries: t.prismaConnection(
    {
      type: 'Delivery',
      cursor: 'id',
      nullable: true,
      description:
        'The deliveries of the organization, newest first. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      portal: filtersByWebhook,
      args: { filter: t.arg(filterArg) },
      resolve: (query, _root, { filter }, context) =>
        findDeliveries(
          context,
          callerOf(context).organizationId,
          readFilter(filter, context),
          query,
        ),
    },
    DeliveryConnection,
  ),
}))

builder.prismaObjectField('Webhook', 'deliveries', (t) =>
  t.prismaConnection(
    {
      type: 'Delivery',
      cursor: 'id',
      nullable: true,
      description:
        'The deliveries to this webhook, newest first. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      args: { filter: t.arg(filterArg) },
      resolve: (query, { id }, { filter: given }, context, info) => {
        const { organizationId } = callerOf(context)
        const filter = readFilter(given, context)
        return context.perField(info, (ids: string[]) =>
          findDeliveriesOfEach(context, organizationId, 'webhook_id', ids, filter, query),
        )(id)
      },
    },
    DeliveryConnection,
  ),
)

builder.prismaObjectField('Event', 'deliveries', (t) =>
  t.prismaConnection(
    {
      type: 'Delivery',
      cursor: 'id',
      nullable: true,
      description:
        'The deliveries of this event, newest first: one per webhook. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      portal: filtersByWebhook,
      args: { filter: t.arg(filterArg) },
      resolve: (query, { id }, { filter: given }, context, info) => {
        const { organizationId } = callerOf(context)
        const filter = readFilter(given, context)
        return context.perField(info, (ids: string[]) =>
          findDeliveriesOfEach(context, organizationId, 'event_id', ids, filter, query),
        )(id)
      },
    },
    DeliveryConnection,
  ),
)

function readFilter(
  filter: typeof DeliveryFilter.$inferInput | null | undefined,
  context: Context,
): DeliveryFilterOfDomain {
  const { webhookId, ...rest } = filter ?? {}
  if (rest.key) requireScope(callerOf(context), 'events:read')
  return { ...rest, webhookUuid: webhookId == null ? null : webhookUuidOf(webhookId) }
}

function webhookUuidOf(id: string): string {
  const uuid = parseId('webhook', id)
  if (uuid) return uuid
  throw invalid([
    {
      path: ['filter', 'webhookId'],
      code: 'invalid_argument',
      detail: 'filter.webhookId must be the id of a webhook: wh_….',
    },
  ])
}

function deliveriesOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select id from posthorn.deliveries where webhook_id = $1 and id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}

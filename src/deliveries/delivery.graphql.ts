import { parseId, publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { filtersByWebhook, findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { DeliveryFilter as DeliveryFilterOfDomain } from './delivery-filter.ts'
import { findDeliveries, findDeliveriesOfEach, findDeliveryById } from './find-deliveries.ts'

const DeliveryState = builder.enumType('DeliveryState', {
  description: 'Where a delivery stands.',
  values: {
    PENDING: {
      value: 'pending',
      description:
        'It has no attempt yet, waits for its next one, or is parked in the backlog of its webhook.',
    },
    SUCCEEDED: { value: 'succeeded', description: 'An attempt was answered with 2xx.' },
    EXHAUSTED: {
      value: 'exhausted',
      description: 'The last attempt of the retry schedule failed. It can still be redelivered.',
    },
    CANCELED: {
      value: 'canceled',
      description: 'Its webhook was deleted, or somebody canceled it.',
    },
  } as const,
})

const ParkedReason = builder.enumType('ParkedReason', {
  description: 'Why a delivery is parked in the backlog of its webhook.',
  values: {
    DISABLED: { value: 'disabled', description: 'The webhook is disabled.' },
    ON_HOLD: {
      value: 'on_hold',
      description: 'The webhook is on hold, as its endpoint keeps failing.',
    },
    CONCURRENCY_LIMIT: {
      value: 'concurrency_limit',
      description: 'As many attempts as its concurrency limit allows are in flight.',
    },
    RATE_LIMIT: { value: 'rate_limit', description: 'The webhook is at its rate limit.' },
    ORDERED: {
      value: 'ordered',
      description: 'The webhook is ordered, and a delivery before this one has not finished.',
    },
  } as const,
})

type ParkedReasonValue = typeof ParkedReason.$inferType

const StatusClass = builder.enumType('StatusClass', {
  description: 'What a request was answered with, by the first digit of the HTTP status.',
  values: {
    SUCCESS_2XX: { value: 2, description: '2xx: it succeeded.' },
    REDIRECTION_3XX: { value: 3, description: '3xx: it failed, as redirects are not followed.' },
    CLIENT_ERROR_4XX: { value: 4, description: '4xx: the receiver refused it.' },
    SERVER_ERROR_5XX: {
      value: 5,
      description: '5xx, or what is no status of HTTP: the receiver failed.',
    },
    NONE: { value: 0, description: 'No response: a timeout, or no connection.' },
  } as const,
})

const DeliveryFilter = builder.inputType('DeliveryFilter', {
  description: 'Which deliveries: those that meet all of what is given.',
  fields: (t) => ({
    state: t.field({ type: DeliveryState, description: 'Only those in this state.' }),
    statusClass: t.field({
      type: StatusClass,
      description: 'Only those whose last attempt was answered so.',
    }),
    webhookId: t.id({ description: 'Only those to this webhook, deleted or not.' }),
    eventType: t.string({
      description: 'Only those of events of this type.',
      validate: textRule,
    }),
    since: t.field({ type: 'DateTime', description: 'Only those made then or later.' }),
    until: t.field({ type: 'DateTime', description: 'Only those made before.' }),
  }),
})

const filterArg = { type: DeliveryFilter, description: 'Which of them. Default: all.' } as const

const Delivery = builder.prismaNode('Delivery', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: deliveriesOfWebhook },
  select: { id: true },
  fields: (t) => ({
    event: t.relation('event', {
      nullable: true,
      description:
        'What happened. Null once it is past its retention. Needs the scope `events:read`.',
      authScopes: { scope: 'events:read' },
    }),
    eventType: t.exposeString('eventType'),
    webhookId: t.id({
      description: 'The id of its webhook, which stays when that is deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    state: t.expose('state', { type: DeliveryState, description: 'Where it stands.' }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'When it was made: with its event or, for one that its webhook had missed, by a recovery.',
      resolve: ({ id }) => timestampOf(id),
    }),
    attemptCount: t.exposeInt('attemptCount'),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTime', nullable: true }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    parkedAt: t.expose('parkedAt', { type: 'DateTime', nullable: true }),
    parkedReason: t.field({
      type: ParkedReason,
      nullable: true,
      description: 'Why it is parked. Null where it is not.',
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
      id: t.arg.id({ required: true, description: 'The id of a delivery, its `wh-id`: `msg_…`.' }),
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
        findDeliveries(context, callerOf(context).organizationId, readFilter(filter), query),
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
      description: 'The deliveries to it, newest first. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      args: { filter: t.arg(filterArg) },
      resolve: (query, { id }, { filter: given }, context, info) => {
        const { organizationId } = callerOf(context)
        const filter = readFilter(given)
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
        'The deliveries it made, newest first: one for each webhook. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      portal: filtersByWebhook,
      args: { filter: t.arg(filterArg) },
      resolve: (query, { id }, { filter: given }, context, info) => {
        const { organizationId } = callerOf(context)
        const filter = readFilter(given)
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
): DeliveryFilterOfDomain {
  const { webhookId, ...rest } = filter ?? {}
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

import type { Db, Sql } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { atLeastKey } from '../db/selection.ts'
import { subscribesTo, subscriptionsTo } from '../event-types/find-event-types.ts'
import { explainRefusals } from '../events/filters/decide.ts'
import { parseStoredFilter } from '../events/filters/read-filter.ts'
import { findEventById } from '../events/find-events.ts'
import { builder } from '../graphql/builder.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { notFound } from '../lib/errors.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { findWebhook } from '../webhooks/find-webhooks.ts'

const REASONS = {
  delivery_exists: 'The event has a delivery to the webhook.',
  fans_out: 'The deliveries of the event are still being created.',
  test_event: 'The event is a test event, which goes to one webhook only.',
  created_later: 'The webhook was created after the event was published.',
  disabled: 'The webhook was disabled when the event was published.',
  not_subscribed: 'The webhook did not subscribe to the event type.',
  filtered_out: 'The filter of the webhook refused the event.',
  erased: 'The payload was erased, so the filter cannot be tried on it.',
  unknown: 'Nothing that is stored explains it.',
} as const

type Reason = keyof typeof REASONS

/** Why an event has no delivery to a webhook, or that it has one. */
interface Explanation {
  /** A public id. */
  readonly webhookId: string
  readonly reason: Reason
  /** A sentence with the details. */
  readonly detail: string
  /** A uuid. Null without a delivery. */
  readonly deliveryUuid: string | null
}

/** Webhooks for which the lack of a delivery is explained. */
const MAX_EXPLAINED = 10

const NotDeliveredReason = enumOf(
  'NotDeliveredReason',
  'Why an event has no delivery to a webhook.',
  REASONS,
)

const DeliveryExplanation = builder.objectRef<Explanation>('DeliveryExplanation').implement({
  description: 'Why a webhook has no delivery of an event, or the delivery.',
  fields: (t) => ({
    reason: t.expose('reason', { type: NotDeliveredReason, description: 'The reason.' }),
    message: t.exposeString('detail', {
      description: 'The reason with its details, as English sentences.',
    }),
    delivery: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description: 'The delivery. Null if there is none.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { deliveryUuid }, _args, { prisma }) =>
        deliveryUuid === null
          ? null
          : prisma.delivery.findUnique({ ...atLeastKey(query), where: { id: deliveryUuid } }),
    }),
  }),
})

const NotDelivered = builder.objectRef<Explanation>('NotDelivered').implement({
  description: 'Why a webhook that subscribes to the type of an event has no delivery of it.',
  fields: (t) => ({
    webhookId: t.exposeID('webhookId', { description: 'The id of the webhook: `wh_…`.' }),
    reason: t.expose('reason', { type: NotDeliveredReason, description: 'The reason.' }),
    message: t.exposeString('detail', {
      description: 'The reason with its details, as English sentences.',
    }),
  }),
})

builder.prismaObjectFields('Event', (t) => ({
  notDelivered: t.field({
    type: [NotDelivered],
    semanticNonNull: true,
    description: `Why webhooks that subscribe to the type of the event have no delivery of it: the newest ${MAX_EXPLAINED} that subscribe. Empty if each has a delivery, and if none subscribes.`,
    authScopes: { scope: 'deliveries:read' },
    // The resolver explains only the webhook of a restricted session.
    portal: 'open',
    complexity: { field: 1, multiplier: MAX_EXPLAINED },
    select: { id: true, organizationId: true, type: true },
    resolve: (event, _args, context) =>
      findNotDelivered(context, event, context.caller.session?.webhookId ?? null),
  }),
}))

organizationFields((t) => ({
  whyNotDelivered: t.field({
    type: DeliveryExplanation,
    semanticNonNull: true,
    description:
      'Why an event has no delivery to a webhook: by the webhook as it was when the event was published, its filter included. An error with the code NOT_FOUND if the organization has no such event or webhook.',
    authScopes: { scope: 'deliveries:read' },
    args: {
      eventId: t.arg.id({ required: true, description: 'The id of the event: `evt_…`.' }),
      webhookId: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    },
    resolve: (parent, { eventId, webhookId }, context) =>
      whyNotDelivered(context, organizationOf(parent, context), eventId, webhookId),
  }),
}))

/** Explains by the webhook as it was when the event was published. Throws `not_found`. */
async function whyNotDelivered(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  eventId: string,
  webhookId: string,
): Promise<Explanation> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const event = await findEventById(prisma, organizationId, eventId, {})
  if (!event) throw notFound('event', eventId)
  const delivery = await prisma.delivery.findFirst({
    where: { organizationId, eventId: event.id, webhookId: webhook.id },
    select: { id: true },
  })
  const explain = (reason: Reason, detail = '') => explanation(webhookId, reason, detail)
  if (delivery) return { ...explain('delivery_exists'), deliveryUuid: delivery.id }
  if (event.isTest) return explain('test_event')
  const { createdAt, enabled, subscriptions, filter } = await asOf(sql, webhook, event.id)
  const publishedAt = timestampOf(event.id)
  if (createdAt > publishedAt) {
    return explain('created_later', `It was created at ${createdAt.toISOString()}.`)
  }
  if (!subscribesTo(subscriptions, event.type)) {
    return explain('not_subscribed', `It subscribed to ${subscriptions.join(', ')}.`)
  }
  if (!enabled) {
    return explain(
      'disabled',
      'Enable it (enabled: true, or `posthorn webhook enable`), and redeliver(input: { missed: … }) delivers what it missed.',
    )
  }
  if (filter !== null && event.erasedAt) return explain('erased')
  const refusals = filter && (await explainRefusals(sql, parseStoredFilter(filter), [event]))
  const refusal = refusals ? refusals.get(event) : undefined
  if (refusal) return explain('filtered_out', refusal)
  if (await fansOut(sql, organizationId, event.id)) return explain('fans_out')
  return explain('unknown', 'The webhook may have changed in the moment of publishing.')
}

/** Explains for the newest webhooks that subscribe to the type of an event, and have no delivery of it. */
async function findNotDelivered(
  deps: { readonly prisma: Db; readonly sql: Sql },
  event: { readonly id: string; readonly organizationId: string; readonly type: string },
  onlyWebhook: string | null,
): Promise<Explanation[]> {
  const webhooks = await deps.prisma.webhook.findMany({
    where: {
      organizationId: event.organizationId,
      deletedAt: null,
      ...(onlyWebhook !== null && { id: onlyWebhook }),
      eventSubscriptions: { hasSome: subscriptionsTo(event.type) },
    },
    select: { id: true },
    orderBy: { id: 'desc' },
    take: MAX_EXPLAINED,
  })
  const eventId = publicId('event', event.id)
  const explained = await Promise.all(
    webhooks.map(({ id }) =>
      whyNotDelivered(deps, event.organizationId, eventId, publicId('webhook', id)),
    ),
  )
  return explained.filter(({ reason }) => reason !== 'delivery_exists')
}

function explanation(webhookId: string, reason: Reason, detail: string): Explanation {
  const text = [REASONS[reason], detail].filter(Boolean).join(' ')
  return { webhookId, reason, detail: text, deliveryUuid: null }
}

interface WebhookAsOf {
  readonly createdAt: Date
  readonly enabled: boolean
  readonly subscriptions: readonly string[]
  readonly filter: string | null
}

/** The audit log has what a field was before its first change after the event. */
async function asOf(sql: Sql, webhook: WebhookRow, eventUuid: string): Promise<WebhookAsOf> {
  const { rows } = await sql.query<{ before: Partial<WebhookAsOf> }>(
    `select coalesce(jsonb_object_agg(name, changed.before -> field), '{}') as before
     from (values ('enabled', 'enabled'), ('subscriptions', 'eventSubscriptions'), ('filter', 'filter'))
         as of_webhook (name, field),
       lateral (
         select a.before from posthorn.audit_log as a
         where a.organization_id = $1 and a.subject_id = $2 and a.id >= $3 and a.action = 'webhook.updated'
           and a.before ? field
         order by a.id limit 1
       ) as changed`,
    [webhook.organizationId, publicId('webhook', webhook.id), lowerBoundAt(timestampOf(eventUuid))],
  )
  const { createdAt, enabled, eventSubscriptions: subscriptions, filter } = webhook
  return { createdAt, enabled, subscriptions, filter, ...rows[0]?.before }
}

async function fansOut(sql: Sql, organizationId: string, eventUuid: string): Promise<boolean> {
  const { rows } = await sql.query(
    'select from posthorn.fan_outs where organization_id = $1 and $2 = any (event_ids) limit 1',
    [organizationId, eventUuid],
  )
  return rows.length > 0
}

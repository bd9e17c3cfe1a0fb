import { createHash } from 'node:crypto'
import type { Actor } from '../auth/access/actor.ts'
import { requireScope } from '../auth/access/scope.ts'
import { actorJson } from '../auth/audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import { mintId, parseId } from '../db/ids.ts'
import { createCatalogue } from '../event-types/event-type.ts'
import { findExample, subscribesTo } from '../event-types/find-event-types.ts'
import { checkEvent, type NewEvent } from '../events/check-event.ts'
import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { findWebhook } from '../webhooks/find-webhooks.ts'
import { MAX_ATTEMPTS } from './new-delivery-sql.ts'

mutation('testDelivery', {
  description:
    'Sends a test event to one webhook only: the example of an event type, or the given payload. The delivery is signed and recorded like any other, and has `isTest` set; its requests have the header `wh-test: true`. The webhook must subscribe to the event type. A test delivery to a webhook that is not enabled is sent too, once and without retries. With a payload, it also needs `events:publish`.',
  scope: 'deliveries:write',
  id: 'webhook',
  input: {
    description: 'What a test delivery sends.',
    fields: (t) => ({
      eventType: t.string({
        required: true,
        description: 'The name of an event type that the webhook subscribes to.',
      }),
      data: t.field({
        type: 'JSON',
        description:
          'The payload: at most 256 KiB as JSON. It must match the schema of the event type. Default: the example of the event type, which must then have one. A payload needs the scope `events:publish`, because it arrives signed.',
      }),
    }),
  },
  errors: [ConflictError],
  returns: ['delivery', 'Delivery', 'The queued delivery.'],
  run: async ({ id, input }, context, caller) => {
    if (input.data !== undefined) requireScope(caller, 'events:publish')
    return await testDelivery(context, caller.organizationId, id, input)
  },
})

interface DeliveryDeps {
  readonly prisma: Db
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** What a test event is. */
interface TestEvent {
  readonly eventType: string
  /** Default: the example of the event type. */
  readonly data?: unknown
}

/**
 * Sends a test event to one webhook only, and returns the public id of the delivery. A test delivery is signed, guarded
 * and recorded like any other, and marked as a test, also for the receiver. The audit log has the SHA-256 of its data. A webhook that is disabled receives it too, in one attempt: a
 * person asks for it, and it is no delivery of an event. Throws `invalid` if the webhook does not subscribe to the type,
 * or the data does not match the schema.
 */
async function testDelivery(
  { prisma, sql, actor }: DeliveryDeps,
  organizationId: string,
  webhookId: string,
  { eventType, data: given }: TestEvent,
): Promise<string> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const data = given === undefined ? await findExample(prisma, eventType) : given
  requireSubscription(webhookId, webhook.eventSubscriptions, eventType)
  const json = JSON.stringify(data)
  if (given !== undefined) await requireValid(sql, { type: eventType, data }, json)
  const eventId = mintId('event')
  const deliveryId = mintId('delivery')
  const occurredAt = new Date()
  const { rows } = await sql.query(
    `
    with webhook as (
      -- The lock prevents disabling or deleting the webhook before this statement commits.
      select id, organization_id, body_id, case when enabled then (${MAX_ATTEMPTS}) else 1 end as max_attempts
      from posthorn.webhooks as w
      where id = $1 and deleted_at is null for share
    ),
    event as (
      insert into posthorn.events (id, organization_id, type, occurred_at, data, is_test)
      select $2, organization_id, $4, $5, $6, true from webhook
    ),
    delivery as (
      insert into posthorn.deliveries
        (id, organization_id, webhook_id, event_id, event_type, max_attempts, next_attempt_at, has_priority, is_test,
          body_id)
      select $3, organization_id, id, $2, $4, max_attempts, now(), true, true, body_id from webhook
      returning *
    ),
    audited as (
      select posthorn.write_audit_entry($7, delivery.organization_id, 'delivery.tested',
        posthorn.type_id('msg', delivery.id), null, $8)
      from delivery
    )
    select posthorn.schedule_deliveries(array[row(delivery.id, delivery.webhook_id, delivery.organization_id,
      delivery.event_type, now(), 0, delivery.max_attempts, null)::posthorn.delivery_job])
    from delivery left join audited on true`,
    [
      webhook.id,
      parseId('event', eventId),
      parseId('delivery', deliveryId),
      eventType,
      occurredAt,
      json,
      actorJson(actor),
      JSON.stringify({
        webhookId,
        eventType,
        dataSha256: createHash('sha256').update(json).digest('hex'),
      }),
    ],
  )
  if (rows.length > 0) return deliveryId
  throw notFound('webhook', webhookId)
}

/** Checks the type, the size and the schema. Paths are those of the input. */
async function requireValid(sql: Sql, event: NewEvent, json: string): Promise<void> {
  const known = (await createCatalogue(sql).refresh([event.type])).get(event.type)
  const detail = `The event type ${event.type} is not in the catalogue, or it is archived.`
  const unknown: FieldIssue = { path: ['eventType'], code: 'unknown_event_type', detail }
  const issues = known
    ? checkEvent({ type: event.type, dataText: json }, await known.checker()).issues
    : [unknown]
  if (issues.length > 0) throw invalid(issues)
}

function requireSubscription(
  webhookId: string,
  subscriptions: readonly string[],
  eventType: string,
): void {
  if (subscribesTo(subscriptions, eventType)) return
  throw invalid([
    {
      path: ['eventType'],
      code: 'not_subscribed',
      detail: `The webhook ${webhookId} does not subscribe to ${eventType}. Choose one of its event types (${subscriptions.join(', ')}), or add ${eventType} to its subscriptions.`,
    },
  ])
}

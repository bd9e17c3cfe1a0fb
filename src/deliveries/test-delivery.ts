import { type Actor, SYSTEM } from '../access/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import { mintId, parseId } from '../db/ids.ts'
import { findExample } from '../event-types/find-example.ts'
import { DomainError, invalid } from '../lib/errors.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import { MAX_ATTEMPTS } from './new-delivery-sql.ts'

interface DeliveryDeps {
  readonly prisma: Db
  readonly sql: Sql
  /** The actor, for the audit log. Default: Posthorn itself. */
  readonly actor?: Actor
}

/**
 * Sends the example of an event type to one webhook only, and returns the public id of the delivery. A test delivery is
 * signed, guarded, retried and recorded like any other, and marked as a test. Throws `invalid` if the webhook does not
 * subscribe to the type, and `conflict` if the webhook is disabled.
 */
export async function testDelivery(
  { prisma, sql, actor = SYSTEM }: DeliveryDeps,
  organizationId: string,
  webhookId: string,
  eventType: string,
): Promise<string> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const data = await findExample(prisma, eventType)
  requireSubscription(webhookId, webhook.eventSubscriptions, eventType)
  const eventId = mintId('event')
  const deliveryId = mintId('delivery')
  const occurredAt = new Date()
  const { rows } = await sql.query(
    `
    with webhook as (
      -- The lock prevents disabling or deleting the webhook before this statement commits.
      select id, organization_id, (${MAX_ATTEMPTS}) as max_attempts
      from posthorn.webhooks as w
      where id = $1 and enabled and deleted_at is null for share
    ),
    event as (
      insert into posthorn.events (id, organization_id, type, occurred_at, data, is_test)
      select $2, organization_id, $4, $5, $6, true from webhook
    ),
    delivery as (
      insert into posthorn.deliveries
        (id, organization_id, webhook_id, event_id, event_type, max_attempts, next_attempt_at, has_priority, is_test)
      select $3, organization_id, id, $2, $4, max_attempts, now(), true, true from webhook
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
      JSON.stringify(data),
      actorJson(actor),
      JSON.stringify({ webhookId, eventType }),
    ],
  )
  if (rows.length > 0) return deliveryId
  throw new DomainError(
    'conflict',
    `The webhook ${webhookId} is disabled. Enable it, then send the test.`,
  )
}

function requireSubscription(
  webhookId: string,
  subscriptions: readonly string[],
  eventType: string,
): void {
  if (subscriptions.includes(eventType)) return
  throw invalid([
    {
      path: ['eventType'],
      code: 'not_subscribed',
      detail: `The webhook ${webhookId} does not subscribe to ${eventType}. Choose one of its event types (${subscriptions.join(', ')}), or add ${eventType} to its subscriptions.`,
    },
  ])
}

import type { Sql } from '../db/client.ts'

/** What an organization has done on its way to a first delivery. */
export interface FirstSteps {
  readonly webhookCreated: boolean
  readonly testDelivered: boolean
  readonly eventPublished: boolean
  readonly eventDelivered: boolean
}

/**
 * Reads the first row of an index each. Deliveries are kept for a time and successes with their webhook: after a day, any
 * success counts as that of an event, so that the steps of an idle organization stay done.
 */
export async function readFirstSteps(sql: Sql, organizationId: string): Promise<FirstSteps> {
  const { rows } = await sql.query<FirstSteps>({
    name: 'read_first_steps',
    text: `
      select
        exists (
          select from posthorn.webhooks where organization_id = $1 and deleted_at is null
        ) as "webhookCreated",
        exists (
          select from posthorn.webhooks as w join posthorn.webhook_conditions as c on c.webhook_id = w.id
          where w.organization_id = $1 and c.last_success_at is not null
        ) as "testDelivered",
        exists (
          select from posthorn.events where organization_id = $1 and not is_test
        ) as "eventPublished",
        exists (
          select from posthorn.deliveries
          where organization_id = $1 and indexed_state is null and state = 'succeeded' and not is_test
        ) or exists (
          select from posthorn.webhooks as w join posthorn.webhook_conditions as c on c.webhook_id = w.id
          where w.organization_id = $1 and c.last_success_at < now() - interval '1 day'
        ) as "eventDelivered"`,
    values: [organizationId],
  })
  return rows[0] as FirstSteps
}

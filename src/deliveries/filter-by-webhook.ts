import type { Sql } from '../db/client.ts'

/** Rows that belong to a webhook. */
export type WebhookOwnedKind = 'delivery' | 'attempt' | 'recovery' | 'event'

/** The primary keys serve the lookups, and the index on event_id serves that of events. */
const QUERIES: Readonly<Record<WebhookOwnedKind, string>> = {
  delivery: 'select id from posthorn.deliveries where webhook_id = $1 and id = any ($2::uuid[])',
  attempt: 'select id from posthorn.attempts where webhook_id = $1 and id = any ($2::uuid[])',
  recovery: 'select id from posthorn.recoveries where webhook_id = $1 and id = any ($2::uuid[])',
  event: `
    select distinct event_id as id from posthorn.deliveries
    where webhook_id = $1 and event_id = any ($2::uuid[])`,
}

/** Those of the uuids that belong to a webhook. An event belongs to a webhook if the webhook has a delivery of it. */
export async function filterByWebhook(
  sql: Sql,
  webhookUuid: string,
  kind: WebhookOwnedKind,
  uuids: readonly string[],
): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>(QUERIES[kind], [webhookUuid, uuids])
  return new Set(rows.map(({ id }) => id))
}

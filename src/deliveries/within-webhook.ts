import type { Sql } from '../db/client.ts'

/** What can belong to a webhook besides what is its own. */
export type KindWithin = 'delivery' | 'attempt' | 'recovery' | 'event'

const QUERIES: Readonly<Record<KindWithin, string>> = {
  delivery: 'select id from posthorn.deliveries where webhook_id = $1 and id = any ($2::uuid[])',
  attempt: 'select id from posthorn.attempts where webhook_id = $1 and id = any ($2::uuid[])',
  recovery: 'select id from posthorn.recoveries where webhook_id = $1 and id = any ($2::uuid[])',
  event: `
    select distinct event_id as id from posthorn.deliveries
    where webhook_id = $1 and event_id = any ($2::uuid[])`,
}

/** Of these uuids, those that belong to a webhook. An event does when there is a delivery of it to the webhook. */
export async function findWithinWebhook(
  sql: Sql,
  webhookUuid: string,
  kind: KindWithin,
  uuids: readonly string[],
): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>(QUERIES[kind], [webhookUuid, uuids])
  return new Set(rows.map(({ id }) => id))
}

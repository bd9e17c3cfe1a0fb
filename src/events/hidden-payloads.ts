import type { Sql } from '../db/client.ts'

/** Whether each of the events has a delivery to the webhook whose payload is not kept. The index on (event_id) serves it. */
export async function hiddenFrom(
  sql: Sql,
  webhookUuid: string,
  eventUuids: readonly string[],
): Promise<boolean[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'hidden_payloads',
    text: `
      select distinct event_id as id from posthorn.deliveries
      where event_id = any ($1::uuid[]) and webhook_id = $2 and is_erased`,
    values: [eventUuids, webhookUuid],
  })
  const hidden = new Set(rows.map(({ id }) => id))
  return eventUuids.map((uuid) => hidden.has(uuid))
}

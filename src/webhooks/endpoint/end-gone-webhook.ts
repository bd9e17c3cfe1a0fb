import type { Sql } from '../../db/client.ts'

/** Ends a webhook whose endpoint has answered 410: it has expired, and maintenance deletes it. */
export async function endGoneWebhook(sql: Sql, webhookUuid: string): Promise<void> {
  await sql.query({
    name: 'end_gone_webhook',
    text: `
      update posthorn.webhooks set expires_at = now(), revision = revision + 1
      where id = $1 and ends_when_gone and deleted_at is null and (expires_at is null or expires_at > now())`,
    values: [webhookUuid],
  })
}

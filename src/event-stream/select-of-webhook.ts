import type { Sql } from '../db/client.ts'
import { parseStoredFilter } from '../filters/read-filter.ts'
import { createSelect, type SelectEvents } from './event-matcher.ts'

/**
 * What a session of one webhook sees: the events to which its webhook subscribes, and that its filter lets through. Of a
 * deleted webhook, nothing.
 */
export function selectOfWebhook(sql: Sql, organizationId: string, webhookId: string): SelectEvents {
  return async (events) => {
    const { rows } = await sql.query<{ types: string[]; filter: string | null }>({
      name: 'read_webhook_selection',
      text: `
        select event_subscriptions as types, filter from posthorn.webhooks
        where id = $1 and organization_id = $2 and deleted_at is null`,
      values: [webhookId, organizationId],
    })
    const [webhook] = rows
    if (!webhook) return []
    const filter = webhook.filter === null ? null : parseStoredFilter(webhook.filter)
    return await createSelect(sql, { types: webhook.types, filter })(events)
  }
}

import type { Sql } from '../db/client.ts'
import { parseStoredFilter } from '../filters/read-filter.ts'
import { createSelect, type SelectEvents } from './event-matcher.ts'

/** How soon a changed or deleted webhook changes what its sessions see. */
const READ_EVERY_MS = 2_000

/**
 * What a session of one webhook sees: the events to which its webhook subscribes, and that its filter lets through. Of a
 * deleted webhook, nothing.
 */
export function createWebhookMatcher(
  sql: Sql,
  organizationId: string,
  webhookId: string,
): () => Promise<SelectEvents> {
  let known: { readonly key: string; readonly select: SelectEvents } | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = performance.now()
    if (known === null || now - readAtMs > READ_EVERY_MS) {
      const webhook = await readWebhook(sql, organizationId, webhookId)
      const key = JSON.stringify(webhook)
      if (known?.key !== key) known = { key, select: selectOf(sql, webhook) }
      readAtMs = now
    }
    return known.select
  }
}

interface WebhookSelection {
  readonly subscriptions: readonly string[]
  readonly filter: string | null
}

function selectOf(sql: Sql, webhook: WebhookSelection | null): SelectEvents {
  if (webhook === null) return async () => []
  const { subscriptions, filter } = webhook
  return createSelect(sql, {
    types: subscriptions,
    filter: filter === null ? null : parseStoredFilter(filter),
  })
}

async function readWebhook(
  sql: Sql,
  organizationId: string,
  webhookId: string,
): Promise<WebhookSelection | null> {
  const { rows } = await sql.query<WebhookSelection>({
    name: 'read_webhook_selection',
    text: `
      select event_subscriptions as subscriptions, filter from posthorn.webhooks
      where id = $1 and organization_id = $2 and deleted_at is null`,
    values: [webhookId, organizationId],
  })
  return rows[0] ?? null
}

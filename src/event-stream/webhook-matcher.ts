import type { Sql } from '../db/client.ts'
import { parseStoredFilter } from '../filters/read-filter.ts'
import { createMatcher, type MatchEvent } from './event-matcher.ts'

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
): () => Promise<MatchEvent> {
  let known: { readonly key: string; readonly matches: MatchEvent } | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = performance.now()
    if (known === null || now - readAtMs > READ_EVERY_MS) {
      const webhook = await readWebhook(sql, organizationId, webhookId)
      const key = JSON.stringify(webhook)
      if (known?.key !== key) known = { key, matches: matcherOf(organizationId, webhook) }
      readAtMs = now
    }
    return known.matches
  }
}

interface WebhookSelection {
  readonly subscriptions: readonly string[]
  readonly filter: string | null
}

function matcherOf(organizationId: string, webhook: WebhookSelection | null): MatchEvent {
  if (webhook === null) return () => false
  const { subscriptions, filter } = webhook
  return createMatcher(organizationId, {
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

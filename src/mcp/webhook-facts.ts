import { z } from 'zod'
import { count, nullableText, nullableTime, untrusted, WEBHOOK_STATES } from './fields.ts'
import type { McpWebhookFragment } from './generated/graphql.ts'

/** What the tools tell of a webhook. */
export const WEBHOOK = z.object({
  webhook_id: z.string(),
  enabled: z.boolean(),
  state: z.enum(WEBHOOK_STATES).nullable().describe('The health, by the rule of the console.'),
  state_since: nullableTime,
  behind_cause: nullableText.describe('What the oldest waiting delivery waits for.'),
  on_hold_reason: nullableText,
  on_hold_since: nullableTime,
  next_probe_at: nullableTime,
  consecutive_failures: count,
  failing_since: nullableTime,
  last_success_at: nullableTime,
  success_rate: z.number().min(0).max(1).nullable().describe('Of the last 24 hours.'),
  waiting: count.describe('The deliveries in its backlog, counted up to 10,000.'),
  oldest_waiting_since: nullableTime,
  waits_for: nullableText.describe('Why the oldest delivery of the backlog waits.'),
  untrusted: untrusted.describe('url, description, uid, subscriptions, last_error.'),
})

export function webhookFacts(webhook: McpWebhookFragment): z.input<typeof WEBHOOK> {
  const { id, uid, url, description, enabled, subscriptions, health, backlog } = webhook
  return {
    webhook_id: id,
    enabled,
    state: health?.state ?? null,
    state_since: health?.since ?? null,
    behind_cause: health?.behindCause ?? null,
    on_hold_reason: health?.onHoldReason ?? null,
    on_hold_since: health?.onHoldSince ?? null,
    next_probe_at: health?.nextProbeAt ?? null,
    consecutive_failures: health?.consecutiveFailures ?? 0,
    failing_since: health?.failingSince ?? null,
    last_success_at: health?.lastSuccessAt ?? null,
    success_rate: health?.successRate ?? null,
    waiting: backlog?.count ?? 0,
    oldest_waiting_since: backlog?.oldest?.createdAt ?? null,
    waits_for: backlog?.oldest?.parkedReason ?? null,
    untrusted: {
      url,
      description,
      uid,
      subscriptions: subscriptions.slice(0, 10),
      last_error: health?.lastError ?? null,
    },
  }
}

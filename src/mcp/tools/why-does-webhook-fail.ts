import { z } from 'zod'
import { ATTEMPT, attemptFacts } from '../attempt-facts.ts'
import { diagnose } from '../diagnose.ts'
import { count, nullableText, untrusted, webhookId } from '../fields.ts'
import { McpWebhookFailureDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'
import { WEBHOOK, webhookFacts } from '../webhook-facts.ts'

const DAY_MS = 86_400_000

export const whyDoesWebhookFail = readTool({
  name: 'why_does_webhook_fail',
  title: 'Why does a webhook fail?',
  description:
    'Says why a webhook fails, waits or sends nothing: the cause in words, since when, what to check, the last failed attempt with the response, the last attempts, and the failures of the last 24 hours by cause.',
  scopes: ['webhooks:read', 'deliveries:read'],
  reach: 'webhook',
  input: z.object({ webhook_id: webhookId }),
  output: z.object({
    cause: nullableText.describe(
      'An HTTP status, an error code, DISABLED, RETRY_AFTER or what deliveries wait for. Null: nothing is wrong.',
    ),
    means: z.string(),
    check: z.string().describe('What to check or do.'),
    since: nullableText,
    webhook: WEBHOOK,
    settings: z.object({
      timeout_seconds: z.number(),
      rate_limit_per_second: z.number().nullable(),
      max_in_flight: z.number().nullable(),
      ordered: z.boolean(),
      max_attempts: z.number(),
    }),
    incident: z
      .object({
        incident_id: z.string(),
        opened_at: z.string(),
        failed_attempts: count,
        peak_waiting: count,
      })
      .nullable(),
    last_failure: ATTEMPT.nullable(),
    last_attempts: z.array(
      z.object({
        attempt_id: z.string(),
        delivery_id: nullableText,
        recorded_at: z.string(),
        duration_ms: z.number(),
        succeeded: z.boolean(),
        cause: nullableText,
      }),
    ),
    failures_of_last_day: z.array(
      z.object({
        cause: z.string(),
        count,
        count_is_exact: z.boolean(),
        first_seen_at: z.string(),
        last_seen_at: z.string(),
      }),
    ),
    untrusted: untrusted.describe('filter: the filter of the webhook.'),
  }),
  async run({ webhook_id }, { execute }) {
    const since = new Date(Date.now() - DAY_MS).toISOString()
    const { webhook, failureGroups } = await execute(McpWebhookFailureDocument, {
      id: webhook_id,
      since,
    })
    if (webhook === null) throw new ToolError(`There is no webhook ${webhook_id}.`)
    const diagnosis = diagnose(webhook)
    const { effectiveSettings: settings, openIncident: incident, lastFailure } = webhook
    return {
      summary: `${diagnosis.means} ${diagnosis.check}`,
      build: () => ({
        ...diagnosis,
        webhook: webhookFacts(webhook),
        settings: {
          timeout_seconds: settings.timeoutSeconds,
          rate_limit_per_second: settings.rateLimitPerSecond,
          max_in_flight: settings.maxInFlight,
          ordered: settings.ordered,
          max_attempts: settings.maxAttempts,
        },
        incident: incident && {
          incident_id: incident.id,
          opened_at: incident.openedAt,
          failed_attempts: incident.failedAttempts,
          peak_waiting: incident.peakWaiting,
        },
        last_failure: lastFailure && attemptFacts(lastFailure),
        last_attempts: (webhook.attempts?.nodes ?? []).map((attempt) => ({
          attempt_id: attempt.id,
          delivery_id: attempt.delivery?.id ?? null,
          recorded_at: attempt.recordedAt,
          duration_ms: attempt.durationMs,
          succeeded: attempt.succeeded,
          cause: attempt.cause,
        })),
        failures_of_last_day: (failureGroups?.nodes ?? []).map((group) => ({
          cause: group.cause,
          count: group.count,
          count_is_exact: group.countIsExact,
          first_seen_at: group.firstSeenAt,
          last_seen_at: group.lastSeenAt,
        })),
        untrusted: { filter: webhook.filterText },
      }),
    }
  },
})

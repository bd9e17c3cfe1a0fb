import { z } from 'zod'
import { count, nullableText, time, untrusted, webhookId } from '../fields.ts'
import { McpIncidentsDocument } from '../generated/graphql.ts'
import { PAGE_INPUT, pageOf, pageOutput } from '../page.ts'
import { readTool } from '../tool.ts'

export const listIncidents = readTool({
  name: 'list_incidents',
  title: 'List incidents',
  description:
    'Lists the incidents: each is one time of trouble of a webhook, from its beginning to its end. The open ones come first, the worst of them first.',
  scopes: ['webhooks:read'],
  reach: 'webhook',
  input: z.object({
    states: z
      .array(z.enum(['OPEN', 'SNOOZED', 'CLOSED']))
      .min(1)
      .max(3)
      .optional(),
    webhook_id: webhookId.optional(),
    since: time.optional(),
    ...PAGE_INPUT,
  }),
  output: pageOutput(
    z.object({
      incident_id: z.string(),
      webhook_id: z.string(),
      state: z.string(),
      webhook_state: z.string(),
      cause: nullableText,
      opened_at: z.string(),
      closed_at: nullableText,
      close_reason: nullableText,
      snoozed_until: nullableText,
      acknowledged_at: nullableText,
      failed_attempts: count,
      peak_waiting: count,
      untrusted: untrusted.describe('url and description, acknowledged_by and assignee.'),
    }),
  ),
  async run({ states, webhook_id, since, limit, cursor }, { execute }) {
    const { incidents } = await execute(McpIncidentsDocument, {
      filter: {
        ...(states && { states }),
        ...(webhook_id && { webhookId: webhook_id }),
        ...(since && { since }),
      },
      first: limit,
      after: cursor ?? null,
    })
    const found = incidents ?? { edges: [], pageInfo: { hasNextPage: false } }
    return {
      summary: `${found.edges.length} incidents.`,
      build: (size) =>
        pageOf(found, size, (incident) => ({
          incident_id: incident.id,
          webhook_id: incident.webhookId,
          state: incident.state,
          webhook_state: incident.webhookState,
          cause: incident.cause ?? incident.behindCause,
          opened_at: incident.openedAt,
          closed_at: incident.closedAt,
          close_reason: incident.closeReason,
          snoozed_until: incident.snoozedUntil,
          acknowledged_at: incident.acknowledgedAt,
          failed_attempts: incident.failedAttempts,
          peak_waiting: incident.peakWaiting,
          untrusted: {
            ...incident.webhook,
            acknowledged_by: incident.acknowledgedBy,
            assignee: incident.assignee,
          },
        })),
    }
  },
})

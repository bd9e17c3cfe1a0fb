import { z } from 'zod'
import { count, nullableText } from '../fields.ts'
import { McpWaitingDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'
import { WEBHOOK, webhookFacts } from '../webhook-facts.ts'

const WAITING_WEBHOOK = WEBHOOK.extend({
  rate_limit_per_second: z.number().nullable(),
  max_in_flight: z.number().nullable(),
  ordered: z.boolean(),
})

export const whatWaits = readTool({
  name: 'what_waits',
  title: 'What waits?',
  description:
    'Shows what waits and why: the deliveries by reason, the webhooks with the largest backlogs, their holds and limits, and the bulk tasks.',
  scopes: ['webhooks:read', 'deliveries:read'],
  reach: 'webhook',
  input: z.object({
    limit: z.number().int().min(1).max(20).default(5).describe('The number of webhooks: 1 to 20.'),
  }),
  output: z.object({
    by_reason: z
      .array(z.object({ reason: z.string(), count, oldest_at: nullableText }))
      .nullable()
      .describe('Each counted up to 10,000. Null: the session is restricted to a webhook.'),
    webhooks_by_state: z.array(z.object({ state: z.string(), count })).nullable(),
    on_time_rate: z
      .number()
      .nullable()
      .describe('The share of deliveries that arrived within a minute, in the last hour.'),
    webhooks: z.array(WAITING_WEBHOOK).max(20),
    bulk_tasks: z
      .array(
        z.object({
          task_id: z.string(),
          action: z.string(),
          state: z.string(),
          changed: count,
          total: count,
          total_is_exact: z.boolean(),
          unfinished: count,
          rate_per_second: count,
          created_at: z.string(),
          webhook_id: nullableText,
        }),
      )
      .max(10),
  }),
  async run({ limit }, { execute }) {
    const { deliveryHealth, webhooks, bulkTasks } = await execute(McpWaitingDocument, {
      first: limit,
    })
    const waiting = (webhooks?.nodes ?? []).filter(({ backlog }) => (backlog?.count ?? 0) > 0)
    return {
      summary: `${waiting.length} of the shown webhooks have a backlog.`,
      build: (size) => ({
        by_reason:
          deliveryHealth?.waiting.map(({ reason, count: of, oldestAt }) => ({
            reason,
            count: of,
            oldest_at: oldestAt,
          })) ?? null,
        webhooks_by_state: deliveryHealth?.webhooks ?? null,
        on_time_rate: deliveryHealth?.onTimeRate ?? null,
        webhooks: waiting.slice(0, Math.max(1, Math.floor(waiting.length * size))).map(toWaiting),
        bulk_tasks: (bulkTasks?.nodes ?? []).map((task) => ({
          task_id: task.id,
          action: task.action,
          state: task.state,
          changed: task.changed,
          total: task.total,
          total_is_exact: task.totalIsExact,
          unfinished: task.unfinished,
          rate_per_second: task.ratePerSecond,
          created_at: task.createdAt,
          webhook_id: task.webhookId,
        })),
      }),
    }
  },
})

type Waiting = Parameters<typeof webhookFacts>[0] & {
  readonly effectiveSettings: {
    readonly rateLimitPerSecond: number | null
    readonly maxInFlight: number | null
    readonly ordered: boolean
  }
}

function toWaiting(webhook: Waiting): z.input<typeof WAITING_WEBHOOK> {
  const { rateLimitPerSecond, maxInFlight, ordered } = webhook.effectiveSettings
  return {
    ...webhookFacts(webhook),
    rate_limit_per_second: rateLimitPerSecond,
    max_in_flight: maxInFlight,
    ordered,
  }
}

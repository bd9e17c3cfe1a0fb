import { z } from 'zod'
import { time, webhookId } from '../fields.ts'
import { McpRecoverDeliveriesDocument } from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { type Outcome, type ToolContext, writeTool } from '../tool.ts'

const INPUT = z.object({
  webhook_id: webhookId,
  since: time.describe('Recovers events published at or after this time.'),
  until: time.optional().describe('Recovers events published before this time. Default: now.'),
  include: z
    .enum(['ALL', 'FAILED', 'MISSED'])
    .optional()
    .describe(
      'Exhausted deliveries (FAILED), events that the webhook has no delivery of (MISSED), or both. Default: ALL.',
    ),
})

export const recover = writeTool({
  name: 'recover',
  title: 'Recover a webhook',
  description:
    'Sends a webhook what it failed to receive or missed in a time range, such as an outage. The first call only counts.',
  scopes: ['deliveries:write', 'deliveries:read'],
  reach: 'webhook',
  isDestructive: false,
  isIdempotent: false,
  input: INPUT,
  preview: (args, context) => run(args, true, context),
  perform: (args, context) => run(args, false, context),
})

async function run(
  { webhook_id, since, until, include }: z.output<typeof INPUT>,
  dryRun: boolean,
  { execute }: ToolContext,
): Promise<Outcome> {
  const { recoverDeliveries } = await execute(McpRecoverDeliveriesDocument, {
    input: {
      webhookId: webhook_id,
      since,
      ...(until && { until }),
      ...(include && { include }),
      dryRun,
    },
  })
  const { count, countIsExact, task } = accepted(recoverDeliveries)
  return {
    summary: dryRun
      ? `${count} deliveries would be sent.`
      : `${count} deliveries are being queued. what_waits shows the progress.`,
    data: { count, count_is_exact: countIsExact, task_id: task?.id ?? null },
  }
}

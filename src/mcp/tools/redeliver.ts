import { z } from 'zod'
import { DELIVERY_FILTER, toDeliveryFilter } from '../delivery-filter.ts'
import { deliveryId } from '../fields.ts'
import {
  McpDeliveryPreviewDocument,
  McpRedeliverDeliveriesDocument,
  McpRedeliverDocument,
} from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { type Outcome, type ToolContext, writeTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const INPUT = z.object({
  delivery_id: deliveryId.optional().describe('One delivery. Or give conditions for many.'),
  ...DELIVERY_FILTER,
  states: z
    .array(z.enum(['RETRYING', 'SUCCEEDED', 'EXHAUSTED', 'CANCELED']))
    .min(1)
    .max(4)
    .optional()
    .describe('Default: RETRYING and EXHAUSTED.'),
})

type Args = z.output<typeof INPUT>

export const redeliver = writeTool({
  name: 'redeliver',
  title: 'Redeliver',
  description:
    'Sends deliveries again with the same id: one, or all that match conditions, in the background. The first call only tells what would be sent.',
  scopes: ['deliveries:write', 'deliveries:read'],
  reach: 'webhook',
  isDestructive: false,
  isIdempotent: false,
  input: INPUT,
  async preview(args, context) {
    if (args.delivery_id === undefined) return await many(args, true, context)
    const { delivery } = await context.execute(McpDeliveryPreviewDocument, {
      id: args.delivery_id,
    })
    if (delivery === null) throw new ToolError(`There is no delivery ${args.delivery_id}.`)
    return {
      summary: `1 delivery, which is ${delivery.state}, would be sent again now.`,
      data: { delivery },
    }
  },
  async perform(args, context) {
    if (args.delivery_id === undefined) return await many(args, false, context)
    const { redeliver: result } = await context.execute(McpRedeliverDocument, {
      id: args.delivery_id,
    })
    const { delivery } = accepted(result)
    return { summary: 'An attempt is queued.', data: { delivery } }
  },
})

async function many(args: Args, dryRun: boolean, { execute }: ToolContext): Promise<Outcome> {
  const filter = toDeliveryFilter(args)
  if (filter === null) {
    throw new ToolError('Give delivery_id, or at least one condition, such as webhook_id.')
  }
  const { redeliverDeliveries } = await execute(McpRedeliverDeliveriesDocument, {
    input: { filter, dryRun },
  })
  const { count, countIsExact, task } = accepted(redeliverDeliveries)
  return {
    summary: dryRun
      ? `${count} deliveries would be sent again.`
      : `${count} deliveries are being queued. what_waits shows the progress.`,
    data: { count, count_is_exact: countIsExact, task_id: task?.id ?? null },
  }
}

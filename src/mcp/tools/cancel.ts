import { z } from 'zod'
import { DELIVERY_FILTER, toDeliveryFilter } from '../delivery-filter.ts'
import { deliveryId, taskId } from '../fields.ts'
import {
  McpBulkTaskPreviewDocument,
  McpCancelBulkTaskDocument,
  McpCancelDeliveriesDocument,
  McpCancelDeliveryDocument,
  McpDeliveryPreviewDocument,
} from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { type Outcome, type ToolContext, writeTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const INPUT = z.object({
  delivery_id: deliveryId.optional().describe('One delivery.'),
  task_id: taskId.optional().describe('A bulk task that is running. Or give conditions.'),
  ...DELIVERY_FILTER,
  states: z
    .array(z.enum(['QUEUED', 'RETRYING', 'WAITING']))
    .min(1)
    .max(3)
    .optional()
    .describe('Default: all three.'),
})

type Args = z.output<typeof INPUT>

export const cancel = writeTool({
  name: 'cancel',
  title: 'Cancel',
  description:
    'Cancels one delivery, all that match conditions, or a bulk task that is running: no further attempt is made. The first call only tells what would be canceled.',
  scopes: ['deliveries:write', 'deliveries:read'],
  reach: 'webhook',
  isDestructive: true,
  isIdempotent: true,
  input: INPUT,
  async preview(args, context) {
    if (args.task_id !== undefined) return await previewTask(args.task_id, context)
    if (args.delivery_id === undefined) return await many(args, true, context)
    const { delivery } = await context.execute(McpDeliveryPreviewDocument, {
      id: args.delivery_id,
    })
    if (delivery === null) throw new ToolError(`There is no delivery ${args.delivery_id}.`)
    return {
      summary: `1 delivery, which is ${delivery.state}, would be canceled.`,
      data: { delivery },
    }
  },
  async perform(args, context) {
    if (args.task_id !== undefined) return await cancelTask(args.task_id, context)
    if (args.delivery_id === undefined) return await many(args, false, context)
    const { cancelDelivery } = await context.execute(McpCancelDeliveryDocument, {
      id: args.delivery_id,
    })
    const { delivery } = accepted(cancelDelivery)
    return { summary: 'The delivery is canceled.', data: { delivery } }
  },
})

async function previewTask(id: string, { execute }: ToolContext): Promise<Outcome> {
  const { bulkTask } = await execute(McpBulkTaskPreviewDocument, { id })
  if (bulkTask === null) throw new ToolError(`There is no bulk task ${id}.`)
  return {
    summary: `The task, which is ${bulkTask.state}, would be canceled.`,
    data: { task: bulkTask },
  }
}

async function cancelTask(id: string, { execute }: ToolContext): Promise<Outcome> {
  const { cancelBulkTask } = await execute(McpCancelBulkTaskDocument, { id })
  const { task } = accepted(cancelBulkTask)
  return { summary: 'The task is canceled.', data: { task } }
}

async function many(args: Args, dryRun: boolean, { execute }: ToolContext): Promise<Outcome> {
  const filter = toDeliveryFilter(args)
  if (filter === null) {
    throw new ToolError('Give delivery_id, task_id or at least one condition, such as webhook_id.')
  }
  const { cancelDeliveries } = await execute(McpCancelDeliveriesDocument, {
    input: { filter, dryRun },
  })
  const { count, countIsExact, task } = accepted(cancelDeliveries)
  return {
    summary: dryRun
      ? `${count} deliveries would be canceled.`
      : `${count} deliveries are being canceled.`,
    data: { count, count_is_exact: countIsExact, task_id: task?.id ?? null },
  }
}

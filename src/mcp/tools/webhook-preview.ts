import { McpWebhookPreviewDocument } from '../generated/graphql.ts'
import type { ToolContext } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

/** The webhook that a tool would change. */
export async function previewWebhook(id: string, { execute }: ToolContext) {
  const { webhook } = await execute(McpWebhookPreviewDocument, { id })
  if (webhook === null) throw new ToolError(`There is no webhook ${id}.`)
  return {
    webhook_id: webhook.id,
    enabled: webhook.enabled,
    state: webhook.health?.state ?? null,
    waiting: webhook.backlog?.count ?? 0,
  }
}

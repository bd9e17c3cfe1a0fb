import { z } from 'zod'
import { TROUBLE, WEBHOOK_STATES } from '../fields.ts'
import { McpWebhooksDocument } from '../generated/graphql.ts'
import { PAGE_INPUT, pageOf, pageOutput } from '../page.ts'
import { readTool } from '../tool.ts'
import { WEBHOOK, webhookFacts } from '../webhook-facts.ts'

export const listWebhooks = readTool({
  name: 'list_webhooks',
  title: 'List webhooks',
  description:
    'Lists the webhooks with their health and backlog, those that need attention first. Start here to find which webhooks are in trouble.',
  scopes: ['webhooks:read', 'deliveries:read'],
  reach: 'webhook',
  input: z.object({
    in_trouble: z
      .boolean()
      .default(false)
      .describe('Only webhooks that fail, are on hold, behind or degraded.'),
    states: z.array(z.enum(WEBHOOK_STATES)).max(7).optional().describe('Only these states.'),
    search: z
      .string()
      .max(200)
      .optional()
      .describe('A part of the URL, the description or the uid.'),
    ...PAGE_INPUT,
  }),
  output: pageOutput(WEBHOOK).extend({ total: z.number().int().min(0) }),
  async run({ in_trouble, states, search, limit, cursor }, { execute }) {
    const wanted = states ?? (in_trouble ? [...TROUBLE] : undefined)
    const filter = { ...(wanted && { states: wanted }), ...(search && { search }) }
    const { webhooks } = await execute(McpWebhooksDocument, {
      filter,
      first: limit,
      after: cursor ?? null,
    })
    const found = webhooks ?? { totalCount: 0, edges: [], pageInfo: { hasNextPage: false } }
    return {
      summary: `${found.totalCount} webhooks match.`,
      build: (size) => ({ total: found.totalCount, ...pageOf(found, size, webhookFacts) }),
    }
  },
})

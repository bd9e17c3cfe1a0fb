import { z } from 'zod'
import { wordsFor } from '../failure-words.ts'
import { count, nullableText, time, untrusted, webhookId } from '../fields.ts'
import { McpFailuresDocument } from '../generated/graphql.ts'
import { PAGE_INPUT, pageOf, pageOutput } from '../page.ts'
import { readTool } from '../tool.ts'

export const listFailures = readTool({
  name: 'list_failures',
  title: 'List failures by cause',
  description:
    'Groups the failed attempts of a time range by webhook and cause, the largest groups first. Shows whether one endpoint fails or many.',
  scopes: ['deliveries:read', 'webhooks:read'],
  reach: 'webhook',
  input: z.object({
    since: time,
    until: time.optional(),
    webhook_id: webhookId.optional(),
    ...PAGE_INPUT,
  }),
  output: pageOutput(
    z.object({
      webhook_id: z.string(),
      cause: z.string(),
      means: nullableText,
      count,
      count_is_exact: z.boolean(),
      first_seen_at: z.string(),
      last_seen_at: z.string(),
      untrusted: untrusted.describe('url and description of the webhook.'),
    }),
  ),
  async run({ since, until, webhook_id, limit, cursor }, { execute }) {
    const { failureGroups } = await execute(McpFailuresDocument, {
      filter: { since, ...(until && { until }), ...(webhook_id && { webhookId: webhook_id }) },
      first: limit,
      after: cursor ?? null,
    })
    const found = failureGroups ?? { edges: [], pageInfo: { hasNextPage: false } }
    return {
      summary: `${found.edges.length} groups of failures.`,
      build: (size) =>
        pageOf(found, size, (group) => ({
          webhook_id: group.webhookId,
          cause: group.cause,
          means: wordsFor(group.cause)?.means ?? null,
          count: group.count,
          count_is_exact: group.countIsExact,
          first_seen_at: group.firstSeenAt,
          last_seen_at: group.lastSeenAt,
          untrusted: { ...group.webhook },
        })),
    }
  },
})

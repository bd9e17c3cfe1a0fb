import { z } from 'zod'
import { eventType, untrusted } from '../fields.ts'
import { McpFilterTrialDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'

export const tryFilter = readTool({
  name: 'try_filter',
  title: 'Try a filter',
  description:
    'Tries a filter on the last events of the given types, without changing anything: which would pass, and which condition refuses the others. Shows the faults of a filter that is not valid.',
  scopes: ['webhooks:read', 'events:read'],
  reach: 'webhook',
  input: z.object({
    event_types: z
      .array(eventType)
      .min(1)
      .max(50)
      .describe('Names, or patterns such as invoice.* as in the subscriptions of a webhook.'),
    filter: z
      .string()
      .max(16_384)
      .describe(
        'The filter as JSON, such as {"path":"$.total","op":"greater","value":100}, or {"all":[…]} and {"any":[…]} of such conditions.',
      ),
  }),
  output: z.object({
    tested: z.number().int().min(0),
    matched: z.number().int().min(0),
    events: z
      .array(
        z.object({
          event_id: z.string().nullable(),
          event_type: z.string().nullable(),
          occurred_at: z.string().nullable(),
          matches: z.boolean(),
          untrusted: untrusted.describe('refused_by: the first condition that does not hold.'),
        }),
      )
      .describe('Some of the tested events.'),
    untrusted: untrusted.describe('issues and warnings about the filter.'),
  }),
  async run({ event_types, filter }, { execute }) {
    const { testFilter } = await execute(McpFilterTrialDocument, {
      eventSubscriptions: event_types,
      filterText: filter,
    })
    const { tested = 0, matched = 0, issues = [], warnings = [], events = [] } = testFilter ?? {}
    return {
      summary:
        issues.length > 0
          ? 'The filter is not valid: see the issues.'
          : `The filter lets ${matched} of ${tested} events pass.`,
      build: (size) => ({
        tested,
        matched,
        events: events
          .slice(0, Math.ceil(Math.min(20, events.length) * size))
          .map(({ matches, refusedBy, event }) => ({
            event_id: event?.id ?? null,
            event_type: event?.type.name ?? null,
            occurred_at: event?.occurredAt ?? null,
            matches,
            untrusted: { refused_by: refusedBy },
          })),
        untrusted: {
          issues: issues
            .slice(0, 10)
            .map(({ path, message }) => ({ path: path.join('.'), message })),
          warnings: warnings.slice(0, 10),
        },
      }),
    }
  },
})

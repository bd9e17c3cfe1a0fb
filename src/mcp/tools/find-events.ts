import { z } from 'zod'
import { EVENT, eventFacts } from '../event-facts.ts'
import type { Execute } from '../execute.ts'
import { eventType, time } from '../fields.ts'
import { McpEventsDocument, McpScanEventsDocument } from '../generated/graphql.ts'
import { PAGE_INPUT, pageOf, pageOutput } from '../page.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const INPUT = z.object({
  event_type: eventType.optional(),
  since: time.optional().describe('Events that were published at or after this time.'),
  until: time.optional().describe('Events that were published before this time.'),
  key: z
    .object({
      path: z.string().max(256).describe('A search key of the event type, such as $.invoice.id.'),
      equals: z.string().max(512),
    })
    .optional()
    .describe('Events with this value at a search key: fast. list_event_types has the keys.'),
  contains: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'Events whose payload has this text, also in part. Reads the payloads newest first, a part of them with each call: go on with next_cursor.',
    ),
  ...PAGE_INPUT,
})

export const findEvents = readTool({
  name: 'find_events',
  title: 'Find events',
  description:
    'Finds published events by type, time, search key or content, newest first, with the number of their deliveries by state.',
  scopes: ['events:read'],
  reach: 'organization',
  input: INPUT,
  output: pageOutput(EVENT).extend({
    scanned: z.number().int().nullable().describe('With contains: the payloads that were read.'),
    scanned_to: z.string().nullable().describe('With contains: the time down to which they were.'),
  }),
  async run(args, { execute }) {
    const { found, scanned, scannedTo } = await search(args, execute)
    const none = found.edges.length === 0 && found.pageInfo.hasNextPage
    return {
      summary: none
        ? 'No event yet. There are older payloads: go on with next_cursor.'
        : `${found.edges.length} events, newest first.`,
      build: (size) => ({
        ...pageOf(found, size, eventFacts),
        scanned,
        scanned_to: scannedTo,
      }),
    }
  },
})

const NONE = { edges: [], pageInfo: { hasNextPage: false } }

async function search(args: z.output<typeof INPUT>, execute: Execute) {
  const { event_type, since, until, key, contains, limit, cursor } = args
  const filter = {
    ...(event_type && { type: event_type }),
    ...(since && { since }),
    ...(until && { until }),
  }
  const page = { first: limit, after: cursor ?? null }
  if (contains === undefined) {
    const variables = { filter: { ...filter, ...(key && { key }) }, ...page }
    const { events } = await execute(McpEventsDocument, variables)
    return { found: events ?? NONE, scanned: null, scannedTo: null }
  }
  if (key) throw new ToolError('Give either key or contains. key is faster.')
  const variables = { filter: { ...filter, contains }, ...page }
  const { scanEvents } = await execute(McpScanEventsDocument, variables)
  return {
    found: scanEvents ?? NONE,
    scanned: scanEvents?.scannedCount ?? 0,
    scannedTo: scanEvents?.scannedTo ?? null,
  }
}

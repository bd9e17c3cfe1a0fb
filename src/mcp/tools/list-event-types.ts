import { z } from 'zod'
import { eventType, nullableText, untrusted } from '../fields.ts'
import { McpEventTypesDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

export const listEventTypes = readTool({
  name: 'list_event_types',
  title: 'List event types',
  description:
    'Lists the event types of the catalogue with their search keys, or one of them with its JSON Schema and its example.',
  scopes: [],
  reach: 'delivery',
  input: z.object({
    event_type: eventType.optional().describe('Only this one, with its schema and example.'),
    search: z.string().max(200).optional().describe('A part of the name.'),
    limit: z.number().int().min(1).max(100).default(50),
    offset: z.number().int().min(0).max(100_000).default(0),
  }),
  output: z.object({
    total: z.number().int().min(0),
    next_offset: z.number().int().nullable(),
    items: z
      .array(
        z.object({
          event_type: z.string(),
          group: nullableText,
          version: z.number().int(),
          search_keys: z.array(z.string()),
          untrusted: untrusted.describe('description, and for one type schema and example.'),
        }),
      )
      .max(100),
  }),
  async run({ event_type, search, limit, offset }, { execute }) {
    const details = event_type !== undefined
    const { eventTypes } = await execute(McpEventTypesDocument, { details })
    const found = eventTypes.filter(({ name }) =>
      details ? name === event_type : name.includes(search ?? ''),
    )
    if (details && found.length === 0) throw new ToolError('There is no such event type.')
    const page = found.slice(offset, offset + limit)
    return {
      summary: `${found.length} event types.`,
      build(size) {
        const shown = page.slice(0, Math.max(1, Math.floor(page.length * size)))
        const end = offset + shown.length
        return {
          total: found.length,
          next_offset: shown.length > 0 && end < found.length ? end : null,
          items: shown.map(({ name, description, group, version, searchKeys, ...rest }) => ({
            event_type: name,
            group,
            version,
            search_keys: searchKeys.slice(0, 20),
            untrusted: {
              description,
              // As text, which has a bound.
              ...(details && {
                schema: JSON.stringify(rest.schema ?? null),
                example: JSON.stringify(rest.example ?? null),
              }),
            },
          })),
        }
      },
    }
  },
})

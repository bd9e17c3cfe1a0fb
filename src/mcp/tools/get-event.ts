import { z } from 'zod'
import { MAX_TEXT } from '../answer.ts'
import { EVENT, eventFacts, PAYLOAD } from '../event-facts.ts'
import { eventId, nullableText, untrusted } from '../fields.ts'
import { McpEventDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'
import { sliceText } from '../untrusted.ts'

export const getEvent = readTool({
  name: 'get_event',
  title: 'Get an event',
  description:
    'Shows one event with its payload, in parts if it is long, and its first 20 deliveries.',
  scopes: ['events:read'],
  reach: 'webhook',
  input: z.object({
    event_id: eventId,
    offset: z
      .number()
      .int()
      .min(0)
      .max(262_144)
      .default(0)
      .describe('Where the part of the payload begins: the next_offset of an earlier call.'),
  }),
  output: EVENT.extend({
    ...PAYLOAD,
    delivery_list: z
      .array(
        z.object({
          delivery_id: z.string(),
          webhook_id: z.string(),
          state: z.string(),
          waits_for: nullableText,
          next_attempt_at: nullableText,
          attempts: z.number().int(),
        }),
      )
      .max(20),
    more_deliveries: z.boolean().describe('Whether it has more: find_deliveries has all.'),
    untrusted: untrusted.describe('data: the payload as JSON text, from offset on.'),
  }),
  async run({ event_id, offset }, { execute }) {
    const { event } = await execute(McpEventDocument, { id: event_id })
    if (event === null) throw new ToolError(`There is no event ${event_id}.`)
    const text = event.dataText ?? ''
    return {
      summary:
        event.payloadState === 'KEPT'
          ? `The payload has ${text.length} characters.`
          : `The payload is ${event.payloadState}.`,
      build(size) {
        const data = sliceText(text, offset, Math.max(40, Math.floor(MAX_TEXT * size)))
        const end = offset + data.length
        return {
          ...eventFacts({ ...event, preview: null }),
          erased_at: event.erasedAt,
          data_length: text.length,
          next_offset: data.length > 0 && end < text.length ? end : null,
          delivery_list: (event.deliveries?.nodes ?? []).map((delivery) => ({
            delivery_id: delivery.id,
            webhook_id: delivery.webhookId,
            state: delivery.state,
            waits_for: delivery.parkedReason,
            next_attempt_at: delivery.nextAttemptAt,
            attempts: delivery.attemptCount,
          })),
          more_deliveries: event.deliveries?.pageInfo.hasNextPage ?? false,
          untrusted: { data },
        }
      },
    }
  },
})

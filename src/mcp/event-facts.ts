import { z } from 'zod'
import { count, nullableText, untrusted } from './fields.ts'
import type { McpEventFieldsFragment } from './generated/graphql.ts'

const DELIVERIES = z.object({
  total: count,
  succeeded: count,
  retrying: count,
  waiting: count,
  unfinished: count,
  exhausted: count,
  canceled: count,
})

/** What the tools tell of an event. */
export const EVENT = z.object({
  event_id: z.string(),
  event_type: z.string(),
  occurred_at: z.string(),
  published_at: z.string(),
  is_test: z.boolean(),
  payload_state: z.string(),
  deliveries: DELIVERIES.nullable().describe(
    'Its deliveries by state. Null: the scope is missing.',
  ),
  untrusted: untrusted.describe('preview: the beginning of the payload.'),
})

export const PAYLOAD = {
  data_length: count,
  next_offset: count.nullable(),
  erased_at: nullableText,
}

export function eventFacts(event: McpEventFieldsFragment): z.input<typeof EVENT> {
  const { id, type, occurredAt, publishedAt, isTest, payloadState, preview, deliveryCounts } = event
  return {
    event_id: id,
    event_type: type.name,
    occurred_at: occurredAt,
    published_at: publishedAt,
    is_test: isTest,
    payload_state: payloadState,
    deliveries: deliveryCounts,
    untrusted: { preview },
  }
}

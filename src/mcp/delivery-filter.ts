import { z } from 'zod'
import { cause, DELIVERY_STATES, eventType, time, webhookId } from './fields.ts'
import type { DeliveryFilter } from './generated/graphql.ts'

/** The inputs that select deliveries. */
export const DELIVERY_FILTER = {
  webhook_id: webhookId.optional(),
  states: z.array(z.enum(DELIVERY_STATES)).min(1).max(6).optional(),
  event_types: z.array(eventType).min(1).max(20).optional(),
  causes: z
    .array(cause)
    .min(1)
    .max(20)
    .optional()
    .describe('Deliveries with an attempt that failed with one of these causes.'),
  since: time.optional().describe('Deliveries that were created at or after this time.'),
  until: time.optional().describe('Deliveries that were created before this time.'),
}

type Given = z.output<z.ZodObject<typeof DELIVERY_FILTER>>

/** Null: nothing was given. */
export function toDeliveryFilter(given: Given): DeliveryFilter | null {
  const { webhook_id, states, event_types, causes, since, until } = given
  const filter: DeliveryFilter = {
    ...(webhook_id && { webhookIds: [webhook_id] }),
    ...(states && { states }),
    ...(event_types && { eventTypes: event_types }),
    ...(causes && { anyAttempt: { causes } }),
    ...(since && { since }),
    ...(until && { until }),
  }
  return Object.keys(filter).length > 0 ? filter : null
}

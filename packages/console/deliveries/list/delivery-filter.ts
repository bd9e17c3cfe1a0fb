import { readKey, readList, readOptions } from '../../components/filters/filter-params.ts'
import type { DeliveryFilter } from '../../generated/graphql.ts'
import { DELIVERY_STATES } from '../delivery-states.ts'
import { RESPONSES, readDuration, responseFilter } from './response-filter.ts'

type Values = Readonly<
  Record<
    'webhook' | 'state' | 'status' | 'cause' | 'type' | 'duration' | 'key' | 'value',
    string | null
  >
>

interface Range {
  readonly since?: string
  readonly until?: string
}

interface Others {
  readonly attempted: Range
  readonly onlyWebhookId: string | null
}

/**
 * The filter for the API. A response alone is that of the last attempt; with a cause, a duration or a time of attempts,
 * any attempt of the delivery may match.
 */
export function deliveryFilter(
  values: Values,
  { attempted, onlyWebhookId }: Others,
): DeliveryFilter {
  const webhookIds = onlyWebhookId ? [onlyWebhookId] : readList(values.webhook)
  const states = readOptions(values.state, DELIVERY_STATES)
  const causes = readList(values.cause)
  const eventTypes = readList(values.type)
  const key = readKey(values)
  const response = responseFilter(readOptions(values.status, RESPONSES))
  const ofAttempts = {
    ...attempted,
    ...readDuration(values.duration),
    ...(causes.length > 0 && { causes: [...causes] }),
  }
  const anyAttempt = Object.keys(ofAttempts).length > 0
  return {
    ...(webhookIds.length > 0 && { webhookIds: [...webhookIds] }),
    ...(states.length > 0 && { states }),
    ...(eventTypes.length > 0 && { eventTypes: [...eventTypes] }),
    ...(key && { key }),
    ...(anyAttempt ? { anyAttempt: { ...ofAttempts, ...response } } : response),
  }
}

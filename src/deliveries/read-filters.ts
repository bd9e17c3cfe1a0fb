import { requireId } from '../db/ids.ts'
import type { AttemptFilter } from './attempts/attempt-filter.ts'
import type { DeliveryFilter } from './delivery-filter.ts'

interface WithWebhookIds {
  readonly webhookIds?: readonly string[] | null | undefined
}

/** An `AttemptFilter` of the graph, with public ids. */
export type AttemptFilterInput = Omit<AttemptFilter, 'webhookUuid' | 'webhookUuids'> &
  WithWebhookIds

/** A `DeliveryFilter` of the graph, with public ids. */
export type DeliveryFilterInput = Omit<
  DeliveryFilter,
  'webhookUuid' | 'webhookUuids' | 'eventType' | 'anyAttempt'
> &
  WithWebhookIds & { readonly anyAttempt?: AttemptFilterInput | null | undefined }

export function readAttemptFilter(
  filter: AttemptFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): AttemptFilter {
  const { webhookIds, ...rest } = filter ?? {}
  return { ...rest, ...readWebhooks(webhookIds, path) }
}

export function readDeliveryFilter(
  filter: DeliveryFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): DeliveryFilter {
  const { webhookIds, eventTypes, anyAttempt, ...rest } = filter ?? {}
  const [eventType, ...others] = new Set(eventTypes)
  return {
    ...rest,
    ...readWebhooks(webhookIds, path),
    // One event type is one range of an index.
    ...(others.length > 0 ? { eventTypes } : { eventType }),
    anyAttempt: anyAttempt && readAttemptFilter(anyAttempt, [...path, 'anyAttempt']),
  }
}

/** One webhook is one range of an index. */
function readWebhooks(ids: WithWebhookIds['webhookIds'], path: readonly string[]) {
  const uuids = ids?.map((id, i) => requireId('webhook', id, [...path, 'webhookIds', `${i}`]))
  const [webhookUuid, ...others] = new Set(uuids)
  return others.length > 0 ? { webhookUuids: uuids } : { webhookUuid }
}

/** The uuid of the only webhook that a filter names, or null. */
export function filteredWebhook({
  webhookId,
}: {
  readonly webhookId?: string | null | undefined
}): string | null {
  return webhookId == null ? null : requireId('webhook', webhookId, ['filter', 'webhookId'])
}

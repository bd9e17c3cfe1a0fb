import { requireId } from '../db/ids.ts'
import type { AttemptFilter } from './attempts/attempt-filter.ts'
import type { DeliveryFilter } from './delivery-filter.ts'

interface WithWebhookIds {
  readonly webhookIds?: readonly string[] | null | undefined
}

/** An `AttemptFilter` of the graph, with public ids. */
export type AttemptFilterInput = Omit<AttemptFilter, 'webhookUuids'> & WithWebhookIds

/** A `DeliveryFilter` of the graph, with public ids. */
export type DeliveryFilterInput = Omit<DeliveryFilter, 'webhookUuids' | 'anyAttempt'> &
  WithWebhookIds & { readonly anyAttempt?: AttemptFilterInput | null | undefined }

export function readAttemptFilter(
  filter: AttemptFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): AttemptFilter {
  const { webhookIds, ...rest } = filter ?? {}
  return { ...rest, webhookUuids: readWebhooks(webhookIds, path) }
}

export function readDeliveryFilter(
  filter: DeliveryFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): DeliveryFilter {
  const { webhookIds, anyAttempt, ...rest } = filter ?? {}
  return {
    ...rest,
    webhookUuids: readWebhooks(webhookIds, path),
    anyAttempt: anyAttempt && readAttemptFilter(anyAttempt, [...path, 'anyAttempt']),
  }
}

function readWebhooks(ids: WithWebhookIds['webhookIds'], path: readonly string[]) {
  const uuids = ids?.map((id, i) => requireId('webhook', id, [...path, 'webhookIds', `${i}`]))
  return uuids && [...new Set(uuids)]
}

/** The uuid of the only webhook that a filter names, or null. */
export function filteredWebhook(webhookId: string | null | undefined): string | null {
  return webhookId == null ? null : requireId('webhook', webhookId, ['filter', 'webhookId'])
}

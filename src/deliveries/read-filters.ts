import { parseId } from '../db/ids.ts'
import { invalid } from '../lib/errors.ts'
import type { AttemptFilter } from './attempts/attempt-filter.ts'
import type { DeliveryFilter } from './delivery-filter.ts'

interface WithWebhookId {
  readonly webhookId?: string | null | undefined
  readonly webhookIds?: readonly string[] | null | undefined
}

/** An `AttemptFilter` of the graph, with a public id. */
export type AttemptFilterInput = Omit<AttemptFilter, 'webhookUuid' | 'webhookUuids'> & WithWebhookId

/** A `DeliveryFilter` of the graph, with public ids. */
export type DeliveryFilterInput = Omit<
  DeliveryFilter,
  'webhookUuid' | 'webhookUuids' | 'anyAttempt'
> &
  WithWebhookId & { readonly anyAttempt?: AttemptFilterInput | null | undefined }

export function readAttemptFilter(
  filter: AttemptFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): AttemptFilter {
  const { webhookId, webhookIds, ...rest } = filter ?? {}
  return { ...rest, ...readWebhooks({ webhookId, webhookIds }, path) }
}

export function readDeliveryFilter(
  filter: DeliveryFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): DeliveryFilter {
  const { webhookId, webhookIds, anyAttempt, ...rest } = filter ?? {}
  return {
    ...rest,
    ...readWebhooks({ webhookId, webhookIds }, path),
    anyAttempt: anyAttempt && readAttemptFilter(anyAttempt, [...path, 'anyAttempt']),
  }
}

function readWebhooks({ webhookId, webhookIds }: WithWebhookId, path: readonly string[]) {
  return {
    webhookUuid: webhookId == null ? null : webhookUuidOf(webhookId, [...path, 'webhookId']),
    webhookUuids: webhookIds?.map((id, i) => webhookUuidOf(id, [...path, 'webhookIds', `${i}`])),
  }
}

function webhookUuidOf(id: string, path: readonly string[]): string {
  const uuid = parseId('webhook', id)
  if (uuid) return uuid
  const detail = `${path.join('.')} must be the id of a webhook: wh_….`
  throw invalid([{ path, code: 'invalid_argument', detail }])
}

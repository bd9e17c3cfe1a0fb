import { parseId } from '../db/ids.ts'
import { invalid } from '../lib/errors.ts'
import type { AttemptFilter } from './attempts/attempt-filter.ts'
import type { DeliveryFilter } from './delivery-filter.ts'

interface WithWebhookId {
  readonly webhookId?: string | null | undefined
}

/** An `AttemptFilter` of the graph, with a public id. */
export type AttemptFilterInput = Omit<AttemptFilter, 'webhookUuid'> & WithWebhookId

/** A `DeliveryFilter` of the graph, with public ids. */
export type DeliveryFilterInput = Omit<DeliveryFilter, 'webhookUuid' | 'anyAttempt'> &
  WithWebhookId & { readonly anyAttempt?: AttemptFilterInput | null | undefined }

export function readAttemptFilter(
  filter: AttemptFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): AttemptFilter {
  const { webhookId, ...rest } = filter ?? {}
  return { ...rest, webhookUuid: webhookUuidOf(webhookId, path) }
}

export function readDeliveryFilter(
  filter: DeliveryFilterInput | null | undefined,
  path: readonly string[] = ['filter'],
): DeliveryFilter {
  const { webhookId, anyAttempt, ...rest } = filter ?? {}
  return {
    ...rest,
    webhookUuid: webhookUuidOf(webhookId, path),
    anyAttempt: anyAttempt && readAttemptFilter(anyAttempt, [...path, 'anyAttempt']),
  }
}

function webhookUuidOf(id: string | null | undefined, path: readonly string[]): string | null {
  if (id == null) return null
  const uuid = parseId('webhook', id)
  if (uuid) return uuid
  throw invalid([
    {
      path: [...path, 'webhookId'],
      code: 'invalid_argument',
      detail: `${[...path, 'webhookId'].join('.')} must be the id of a webhook: wh_….`,
    },
  ])
}

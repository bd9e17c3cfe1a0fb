import { failure, type PosthornError } from '../client/posthorn-error.ts'
import {
  PosthornWebhookDocument,
  type PosthornWebhookSettingsFragment,
} from '../generated/graphql.ts'
import { type Query, usePosthornQuery } from '../query/use-posthorn-query.ts'
import type { Webhook } from './use-webhooks.ts'

/** The settings of a webhook, with the names of its headers: their values may be credentials. */
export type WebhookSettings = PosthornWebhookSettingsFragment

export interface WebhookQuery extends Omit<Query<unknown>, 'data'> {
  /** Null until the first answer, and if there is no such webhook: `error` then has the code `NOT_FOUND`. */
  readonly webhook: (Webhook & WebhookSettings) | null
  readonly scopes: readonly string[]
}

/** One webhook with its health and its settings. */
export function useWebhook(id: string): WebhookQuery {
  const { data, error, isLoading, reload } = usePosthornQuery(PosthornWebhookDocument, { id })
  return {
    webhook: data?.webhook ?? null,
    error: error ?? (data && !data.webhook ? notFound(id) : null),
    isLoading,
    reload,
    scopes: data?.viewer.scopes ?? [],
  }
}

export function notFound(id: string): PosthornError {
  return failure('NOT_FOUND', `There is no webhook ${id}.`).error
}

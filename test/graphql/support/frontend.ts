import { print } from 'graphql'
import { createClient } from 'graphql-sse'
import {
  type CreateWebhookMutation,
  type CreateWebhookMutationVariables,
  DeliveryFinishedDocument,
  type DeliveryFinishedSubscription,
  type PublishEventMutation,
  type PublishEventMutationVariables,
  type WebhooksQuery,
} from '../generated/graphql.ts'

/** The operations of a frontend with one client library, with the types of the documents and no casts. */
export interface Frontend {
  list(): Promise<WebhooksQuery | undefined>
  create(variables: CreateWebhookMutationVariables): Promise<CreateWebhookMutation | undefined>
  publish(variables: PublishEventMutationVariables): Promise<PublishEventMutation | undefined>
  /** Reports each delivery that finishes, until the returned function is called. */
  watch(next: (data: DeliveryFinishedSubscription | null | undefined) => void): () => void
  /** The error that the client throws for an invalid key. */
  listWithoutKey(): Promise<unknown>
}

/** Where a frontend sends its requests, and with which headers. */
export interface Target {
  readonly url: string
  readonly headers: Record<string, string>
}

type Finished = { data?: DeliveryFinishedSubscription | null }

/** For clients without server-sent events of their own. */
export function subscribeWithSse(
  { url, headers }: Target,
  next: (result: Finished) => void,
): () => void {
  const client = createClient({ url, headers, retryAttempts: 0 })
  return client.subscribe<DeliveryFinishedSubscription>(
    { query: print(DeliveryFinishedDocument) },
    { next: ({ data = null }) => next({ data }), error: () => {}, complete: () => {} },
  )
}

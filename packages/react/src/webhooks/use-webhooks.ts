import {
  type PosthornWebhookFragment,
  PosthornWebhooksDocument,
  type WebhookFilter,
} from '../generated/graphql.ts'
import { type Pages, usePages } from '../query/use-pages.ts'

/** A webhook with its health. `health`, `lastFailure` and `backlog` are null without the scope `deliveries:read`. */
export type Webhook = PosthornWebhookFragment

export interface WebhooksOptions {
  /** Default: all webhooks that the session may see. */
  readonly filter?: WebhookFilter
  /** 1 to 100. Default: 20. */
  readonly pageSize?: number
}

/** The webhooks, oldest first. */
export function useWebhooks(
  options: WebhooksOptions = {},
): Pages<Webhook> & { readonly totalCount: number | null } {
  const { data, ...pages } = usePages(PosthornWebhooksDocument, options, ({ webhooks }) => webhooks)
  return { ...pages, totalCount: data?.webhooks?.totalCount ?? null }
}

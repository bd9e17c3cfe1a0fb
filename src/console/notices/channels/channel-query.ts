import { pageQuery } from '../../api/page-query.ts'
import {
  type NoticeChannelFragment,
  NoticeChannelsDocument,
  type NoticeChannelsQuery,
} from '../../generated/graphql.ts'

/** The notice that every channel gets, and the one that a test sends. */
export const TYPE_OF_CHANNELS = 'posthorn.webhook.on_hold'

export const channelsQuery = pageQuery(
  NoticeChannelsDocument,
  ({ session }) => (session.can('webhooks:read') ? {} : null),
  ['Webhook', 'OperationalEvents'],
)

/** The webhooks that only get notices, in the form of a template. */
export function channelsIn({ webhooks }: NoticeChannelsQuery): NoticeChannelFragment[] {
  return (webhooks?.nodes ?? []).filter(
    ({ template, subscriptions }) =>
      template !== null && subscriptions.every((name) => name.startsWith('posthorn.')),
  )
}

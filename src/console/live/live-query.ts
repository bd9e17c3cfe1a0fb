import { pageQuery } from '../api/page-query.ts'
import { LiveWebhooksDocument } from '../generated/graphql.ts'

/** The names of the webhooks, for the rows. */
export const liveQuery = pageQuery(LiveWebhooksDocument, ({ session }) =>
  session.can('webhooks:read') ? {} : null,
)

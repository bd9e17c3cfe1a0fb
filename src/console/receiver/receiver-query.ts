import { pageQuery } from '../api/page-query.ts'
import { ReceiverDocument } from '../generated/graphql.ts'

export const receiverQuery = pageQuery(ReceiverDocument, ({ session }) =>
  session.can('events:read') ? {} : null,
)

import { pageQuery } from '../api/page-query.ts'
import { NoticesDocument } from '../generated/graphql.ts'

export const noticesQuery = pageQuery(
  NoticesDocument,
  ({ session }) => (session.can('webhooks:read') ? { isOperator: session.can('admin') } : null),
  ['NoticeAddress', 'OperationalEvents'],
)

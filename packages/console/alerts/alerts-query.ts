import { pageQuery } from '../api/page-query.ts'
import { AlertsDocument } from '../generated/graphql.ts'

export const alertsQuery = pageQuery(
  AlertsDocument,
  ({ session }) => (session.can('webhooks:read') ? { isOperator: session.can('admin') } : null),
  ['AlertAddress', 'OperationalEvents'],
)

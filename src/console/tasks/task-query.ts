import { pageQuery } from '../api/page-query.ts'
import { TaskDocument } from '../generated/graphql.ts'

export const taskQuery = pageQuery(TaskDocument, ({ params }) => ({ id: params['id'] ?? '' }), [
  'DeliveryTask',
])

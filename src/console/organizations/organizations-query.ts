import { pageQuery } from '../api/page-query.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { OrganizationsPageDocument } from '../generated/graphql.ts'

export const organizationsQuery = pageQuery(
  OrganizationsPageDocument,
  ({ search, session }) => (session.can('admin') ? readCursors(search) : null),
  ['Organization'],
)

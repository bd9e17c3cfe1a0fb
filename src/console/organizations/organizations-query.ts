import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { OrganizationsPageDocument } from '../generated/graphql.ts'

export const ORGANIZATION_FILTERS = ['search'] as const

export const organizationsQuery = pageQuery(
  OrganizationsPageDocument,
  ({ search, session }) =>
    session.can('admin')
      ? { ...readCursors(search), filter: readFilters(ORGANIZATION_FILTERS, search) }
      : null,
  ['Organization'],
)

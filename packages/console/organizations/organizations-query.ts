import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { OrganizationsPageDocument } from '../generated/graphql.ts'
import { labelFilter } from '../lib/labels.ts'

export const ORGANIZATION_FILTERS = ['search', 'label'] as const

export const organizationsQuery = pageQuery(
  OrganizationsPageDocument,
  ({ search: address, session }) => {
    if (!session.can('admin')) return null
    const { search, label } = readFilters(ORGANIZATION_FILTERS, address)
    return { ...readCursors(address), filter: { search, metadata: labelFilter(label) } }
  },
  ['Organization'],
)

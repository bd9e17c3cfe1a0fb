import { pageQuery } from '../api/page-query.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { ApiKeysPageDocument } from '../generated/graphql.ts'

/** Most organizations have fewer keys than this. */
export const KEYS_PER_PAGE = 100

export const apiKeysQuery = pageQuery(
  ApiKeysPageDocument,
  ({ search, session }) => (session.can('keys:manage') ? readCursors(search, KEYS_PER_PAGE) : null),
  ['ApiKey'],
)

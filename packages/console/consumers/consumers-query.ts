import { pageQuery } from '../api/page-query.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { ConsumersDocument } from '../generated/graphql.ts'

/** How often the visible page reloads: each pull changes what waits. */
export const REFRESH_EVERY_MS = 5_000

export const consumersQuery = pageQuery(
  ConsumersDocument,
  ({ search, session }) => (session.can('events:read') ? readCursors(search) : null),
  ['Consumer'],
)

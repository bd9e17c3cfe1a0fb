import type { Sql } from '../db/client.ts'
import { MAX_VALUE_LENGTH } from '../event-types/search-key.ts'

/** The search keys that a lookup tries, and the events that it counts for each. */
export const MAX_PATHS = 100
export const MAX_COUNTED = 100

/** How many events of an organization have a value at a search key. */
export interface SearchKeyMatch {
  readonly path: string
  readonly count: number
  readonly exact: boolean
}

/**
 * Counts the organization's events with a value, for each search key of the catalogue that has some. The primary key of
 * `event_keys` serves each path.
 */
export async function countBySearchKey(
  sql: Sql,
  organizationId: string,
  value: string,
): Promise<SearchKeyMatch[]> {
  // No other value is stored.
  if ([...value].length > MAX_VALUE_LENGTH) return []
  const { rows } = await sql.query<SearchKeyMatch>({
    name: 'count_by_search_key',
    text: `
      select key.path, least(found.count, ${MAX_COUNTED}) as count, found.count <= ${MAX_COUNTED} as exact
      from (
        select distinct unnest(search_keys) as path from posthorn.event_types order by 1 limit ${MAX_PATHS}
      ) as key
      cross join lateral (
        select count(*)::int as count from (
          select from posthorn.event_keys as k
          where k.organization_id = $1 and k.path = key.path and k.value = $2 limit ${MAX_COUNTED + 1}
        ) as few
      ) as found
      where found.count > 0
      order by key.path`,
    values: [organizationId, value],
  })
  return rows
}

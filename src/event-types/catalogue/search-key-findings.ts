import { parsePath } from '../../lib/json-path.ts'
import { schemaAtPath } from '../../lib/schema-path.ts'
import type { Finding } from './finding.ts'

/** The search keys whose path the schema `after` no longer has. */
export function searchKeyFindings(
  searchKeys: readonly string[],
  before: unknown,
  after: unknown,
): Finding[] {
  return searchKeys
    .filter((key) => isGone(key, before, after))
    .map((key) => ({
      kind: 'breaks_search_key',
      message: `The schema no longer has ${key}, which is a search key: new events are not found by it.`,
      remedy: 'Remove the search key, or keep the property.',
    }))
}

function isGone(key: string, before: unknown, after: unknown): boolean {
  const path = parsePath(key) ?? []
  const now = schemaAtPath(after, path).path
  return now === 'impossible' || (now === 'open' && schemaAtPath(before, path).path === 'named')
}

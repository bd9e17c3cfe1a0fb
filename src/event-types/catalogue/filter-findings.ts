import type { Sql } from '../../db/client.ts'
import type { Filter } from '../../filters/filter.ts'
import { filterProblems, leavesOf, printName } from '../../filters/filter-problems.ts'
import { parseStoredFilter } from '../../filters/read-filter.ts'
import { schemaAtPath } from '../../lib/schema-path.ts'
import { subscribesTo } from '../subscriptions.ts'
import type { Finding } from './finding.ts'

export interface FilteredWebhook {
  /** The public id. */
  readonly id: string
  readonly subscriptions: readonly string[]
  readonly filter: Filter
}

/** The webhooks that have a filter, of all organizations. */
export async function readFilteredWebhooks(sql: Sql): Promise<FilteredWebhook[]> {
  const { rows } = await sql.query<{ id: string; subscriptions: string[]; filter: string }>(`
    select posthorn.type_id('wh', id) as id, event_subscriptions as subscriptions, filter
    from posthorn.webhooks where filter is not null and deleted_at is null order by id`)
  return rows.map((row) => ({ ...row, filter: parseStoredFilter(row.filter) }))
}

const MAX_LISTED = 5

/** The conditions that the schema `after` breaks, and `before` did not: one finding each, with its webhooks. */
export function filterFindings(
  webhooks: readonly FilteredWebhook[],
  name: string,
  before: unknown,
  after: unknown,
): Finding[] {
  const webhookIds = new Map<string, string[]>()
  for (const { id, subscriptions, filter } of webhooks) {
    if (!subscribesTo(subscriptions, name)) continue
    for (const problem of newProblems(filter, name, before, after)) {
      webhookIds.set(problem, [...(webhookIds.get(problem) ?? []), id])
    }
  }
  return [...webhookIds].map(([problem, ids]) => {
    const listed = ids.slice(0, MAX_LISTED).join(', ')
    const more = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : ''
    return {
      kind: 'breaks_filter',
      message: `${problem} The filter of ${listed}${more} asks for it.`,
      remedy:
        'Change the filter of each of these webhooks first, or keep what the filter asks for.',
      webhookIds: ids,
    }
  })
}

function newProblems(filter: Filter, name: string, before: unknown, after: unknown): string[] {
  const old = new Set(filterProblems(filter, before, name))
  const gone = leavesOf(filter)
    .filter(({ path }) => schemaAtPath(before, path).path === 'named')
    .filter(({ path }) => schemaAtPath(after, path).path === 'open')
    .map(({ path }) => `The schema of ${name} no longer has ${printName(path)}.`)
  const never = filterProblems(filter, after, name).filter((problem) => !old.has(problem))
  return [...new Set([...never, ...gone])]
}

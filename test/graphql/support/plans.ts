import type { Api } from './api.ts'

/**
 * A page never reads more rows of one partition; more would mean a scan. The partition of the first day may hold only a
 * few minutes of data, depending on the time of day, and a full scan of it is fastest then.
 */
const MOST_ROWS = 2_000

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

/**
 * The reads of a query that do not use an index well: sequential scans of partitions with data, and index scans that
 * discard most rows. Runs the query, then each of its statements again with `explain`.
 */
export async function readsWithoutIndex(
  api: Api,
  variables: Record<string, unknown>,
  query: string,
  token: string,
): Promise<string[]> {
  await api.call(token, query, variables)
  const statements = [...api.statements.full]
  const found: string[] = []
  for (const { text, values } of statements) {
    if (!/^\s*(select|with)/i.test(text)) continue
    const { rows } = await api.database.pool.query(
      `explain (analyze, format json, timing off) ${text}`,
      [...values],
    )
    collect(rows[0]['QUERY PLAN'][0].Plan, found)
  }
  return found
}

function collect(plan: Plan, found: string[]): void {
  const relation = plan['Relation Name'] ?? ''
  const read = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  if (/^(events|deliveries|attempts)_/.test(relation)) {
    if (read > MOST_ROWS) found.push(`${plan['Node Type']} of ${relation}: ${read} rows`)
  }
  for (const child of plan.Plans ?? []) collect(child, found)
}

import { MAX_EVENTS_SEARCHED } from '../../../src/deliveries/delivery-filter.ts'
import type { Api } from './api.ts'

/**
 * More rows of one partition are never read for a page: they are the sign of a scan. A page for each of three webhooks
 * searches as many events for each, which late in a day are all in the partition of that day.
 */
const MOST_ROWS = 3 * MAX_EVENTS_SEARCHED

/** A smaller partition is best read whole. The first and the last day hold as little as a few minutes of rows. The others must hold more. */
const SMALL_PARTITION_ROWS = 5_000

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

/** The partitions of the tables with one row for each event, delivery or attempt. */
const VOLUME = /^(events|event_keys|deliveries|attempts)_/

/**
 * The reads of the tables that do not use an index well: sequential scans of data, and index scans that discard most
 * rows. `run` runs statements; each runs again with `explain`.
 */
export async function readsWithoutIndex(
  api: Api,
  run: () => Promise<unknown>,
  tables = VOLUME,
): Promise<string[]> {
  api.statements.clear()
  await run()
  const statements = [...api.statements.full]
  const small = await smallPartitions(api)
  const found: string[] = []
  for (const { text, values } of statements) {
    if (!/^\s*(select|with)/i.test(text)) continue
    const { rows } = await api.database.pool.query(
      `explain (analyze, format json, timing off) ${text}`,
      [...values],
    )
    collect(rows[0]['QUERY PLAN'][0].Plan, (name) => tables.test(name) && !small.has(name), found)
  }
  return found
}

/** The partitions that were small when they were last analyzed. */
async function smallPartitions(api: Api): Promise<ReadonlySet<string>> {
  const { rows } = await api.database.pool.query<{ relname: string }>(
    'select relname from pg_class where relispartition and reltuples between 0 and $1',
    [SMALL_PARTITION_ROWS],
  )
  return new Set(rows.map(({ relname }) => relname))
}

/** Adds the reads of a plan that are too large, of relations that count. */
export function collect(
  plan: Plan,
  counts: (relation: string) => boolean,
  found: string[],
  most = MOST_ROWS,
): void {
  const relation = plan['Relation Name'] ?? ''
  const read = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  if (counts(relation) && read > most) {
    found.push(`${plan['Node Type']} of ${relation}: ${read} rows`)
  }
  for (const child of plan.Plans ?? []) collect(child, counts, found, most)
}

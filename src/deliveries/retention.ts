import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { unavailabilityOf } from '../db/faults.ts'
import { FIRST_ID } from '../queue/long-work.ts'

/** Partitions exist for this many days ahead. */
const DAYS_AHEAD = 7

/** Deliveries come first: what is left of the other tables depends on them. */
const TABLES = ['deliveries', 'attempts', 'events', 'event_keys'] as const

/** How long a step waits for its locks before its failure is reported. The next maintenance tries again. */
const PATIENCE_MS = 8_000
const MAX_PAUSE_MS = 400

export type RetentionStep =
  | 'detach_partitions'
  | 'drop_partitions'
  | 'create_partitions'
  | 'delete_default_rows'

/** Runs a step for a table, and returns its result, or null if it failed. */
export type RunRetentionStep = (
  step: RetentionStep,
  run: () => Promise<number>,
  table: string,
) => Promise<number | null>

export interface RetentionOptions {
  readonly retentionMs: number
  /** Default: the time of Postgres, so that a process with a wrong clock drops nothing early. */
  readonly now?: Date | null
  /** An abort ends the deletion after a page. The next maintenance continues. */
  readonly signal?: AbortSignal
}

/**
 * Drops a partition once its last day is past retention, creates the partitions of the coming days, and deletes the rows
 * past retention from the default partitions. What pending deliveries need is kept, and so is everything since the oldest
 * event that still fans out. Each step tries again if others hold locks.
 */
export async function maintainPartitions(
  sql: Sql,
  { retentionMs, now = null, signal }: RetentionOptions,
  runStep: RunRetentionStep,
): Promise<{ created: number; dropped: number; deleted: number }> {
  const firstKeptDay = await findFirstKeptDay(sql, retentionMs, now)
  const forEachTable = async (
    step: RetentionStep,
    tables: readonly string[],
    run: (table: string) => Promise<number>,
  ) => {
    let count = 0
    for (const table of tables) count += (await runStep(step, () => run(table), table)) ?? 0
    return count
  }
  // First what frees space, and names of partitions.
  await forEachTable('detach_partitions', TABLES, (table) =>
    call(sql, 'posthorn.detach_partitions_before($1, $2)', table, firstKeptDay),
  )
  const { rows: detached } = await sql.query<{ name: string }>(
    'select posthorn.detached_partitions() as name',
  )
  // One at a time, so that the disk deletes few files at once.
  const partitions = detached.map(({ name }) => name)
  const dropped = await forEachTable('drop_partitions', partitions, async (partition) =>
    Number(await call(sql, 'posthorn.drop_detached_partition($1)', partition)),
  )
  const created = await forEachTable('create_partitions', TABLES, (table) =>
    createMissing(sql, table, now),
  )
  const deleted = await forEachTable('delete_default_rows', TABLES, (table) =>
    deletePages(sql, 'delete_default_rows_before', [table, firstKeptDay], 1_000, signal),
  )
  return { created, dropped, deleted }
}

async function findFirstKeptDay(sql: Sql, retentionMs: number, now: Date | null): Promise<string> {
  const { rows } = await sql.query<{ day: string }>(
    `select least(
       (coalesce($1::timestamptz, now()) at time zone 'UTC' - $2 * interval '1 millisecond')::date,
       (select min(posthorn.uuid_v7_timestamp(event_ids[1]) at time zone 'UTC')::date from posthorn.fan_outs)
     )::text as day`,
    [now, retentionMs],
  )
  return rows[0]?.day as string
}

/** Returns how many it created, each in a transaction of its own, so that locks are short. */
async function createMissing(sql: Sql, table: string, now: Date | null): Promise<number> {
  const { rows: missing } = await sql.query<{ day: string }>(
    `select m.day::text
     from (select (coalesce($2::timestamptz, now()) at time zone 'UTC')::date) as today (day),
       posthorn.missing_partitions(today.day, today.day + $3::int) as m
     where m.parent_name = $1`,
    [table, now, DAYS_AHEAD],
  )
  const days = missing.map(({ day }) => day)
  let created = 0
  try {
    if (days.length === 0) return 0
    const first = await call<string>(
      sql,
      'posthorn.bound_default_partition($1, $2::date[])::text',
      table,
      days,
    )
    await call(sql, 'posthorn.validate_default_partition($1)', table)
    for (const day of days) {
      if (day >= first)
        created += Number(await call(sql, 'posthorn.create_partition($1, $2)', table, day))
    }
  } finally {
    // Also without a missing day, because an earlier maintenance may have ended before this.
    await call(sql, 'posthorn.unbound_default_partition($1)', table)
  }
  return created
}

/**
 * Calls a function of Postgres, again if others hold locks. The pauses are random, so that the tries do not meet the same
 * statement of a regular publisher each time.
 */
async function call<Result>(sql: Sql, text: string, ...values: unknown[]): Promise<Result> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (true) {
    try {
      const { rows } = await sql.query<{ result: Result }>(`select ${text} as result`, values)
      return rows[0]?.result as Result
    } catch (error) {
      if (performance.now() > giveUpAt || unavailabilityOf(error) !== 'contention') throw error
      await sleep(Math.random() * MAX_PAUSE_MS)
    }
  }
}

/**
 * Deletes what is past the retention of its organization or event type, in pages. Partitions stay until the retention of the
 * installation. What pending deliveries need is kept. Returns how many events and deliveries were deleted.
 */
export async function deletePastRules(sql: Sql, signal?: AbortSignal): Promise<number> {
  let deleted = 0
  for (const { organizationId, eventType } of await findRules(sql)) {
    // Few rows, as each event can have many deliveries.
    deleted += await deletePages(sql, 'delete_past_rule', [organizationId, eventType], 200, signal)
  }
  return deleted
}

/** Of one table or rule in one maintenance, so that the steps after it wait for minutes at most. */
const MAX_RUN_MS = 60_000

/** Calls a function that deletes at most `size` rows after an id, and returns the last id that it read, or null at the end. */
async function deletePages(
  sql: Sql,
  name: 'delete_default_rows_before' | 'delete_past_rule',
  values: readonly unknown[],
  size: number,
  signal?: AbortSignal,
): Promise<number> {
  let after: string | null = FIRST_ID
  const deletePage = async () => {
    if (after === null) return null
    const { rows } = await sql.query<{ deleted: number; reached: string | null }>(
      `select * from posthorn.${name}($1, $2, $3, $4)`,
      [...values, after, size],
    )
    after = rows[0]?.reached ?? null
    return rows[0]?.deleted ?? null
  }
  return await restBetweenPages(deletePage, MAX_RUN_MS, signal)
}

const MAX_REST_MS = 1_000

/**
 * Runs pages of a maintenance, and rests after each as long as it took, so that others use the database as much. Ends with the
 * last page (null), after `maxMs`, or if others hold locks: the next maintenance goes on. Returns the sum of the pages.
 */
export async function restBetweenPages(
  runPage: () => Promise<number | null>,
  maxMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const endsAtMs = performance.now() + maxMs
  let sum = 0
  while (performance.now() < endsAtMs && !signal?.aborted) {
    const startedAtMs = performance.now()
    const page = await runPage().catch((error: unknown) => {
      if (unavailabilityOf(error) === 'contention') return null
      throw error
    })
    if (page === null) break
    sum += page
    await sleep(Math.min(performance.now() - startedAtMs, MAX_REST_MS))
  }
  return sum
}

interface Rule {
  readonly organizationId: string
  /** Null: the rule of the organization, for all event types. */
  readonly eventType: string | null
}

/** The rules that an event is past. The indexes on (organization_id, id) and (organization_id, type, id) serve it. */
async function findRules(sql: Sql): Promise<Rule[]> {
  const { rows } = await sql.query<Rule>(`
    select o.id as "organizationId", null as "eventType" from posthorn.organizations as o
    where o.retention_days is not null
    union all
    select o.id, t.name from posthorn.event_types as t cross join posthorn.organizations as o
    where t.retention_days is not null and exists (
      select from posthorn.events as e
      where e.organization_id = o.id and e.type = t.name
        and e.id < posthorn.uuid_v7_lower_bound(now() - t.retention_days * interval '1 day') offset 0)`)
  return rows
}

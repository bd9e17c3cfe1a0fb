import type { Sql } from '../../db/client.ts'
import { FIRST_ID, type PageResult, type Step } from '../../queue/long-work.ts'

/**
 * The tables with rows of an organization, in the order in which a deletion empties them, with the columns that an index has
 * after `organization_id`: pages follow it. Small tables have their primary key. Posthorn first deletes what creates other
 * rows. A test fails for a table of the database for which nothing is decided.
 */
export const ORGANIZATION_TABLES = {
  fan_outs: ['id'],
  unkept_payloads: ['id'],
  bulk_tasks: ['id'],
  event_consumers: ['id'],
  deliveries: ['id'],
  attempts: ['status_class', 'id'],
  event_keys: ['path', 'value', 'event_id'],
  events: ['id'],
  published_batches: ['id'],
  event_streams: ['begins_after'],
  filtered_events: ['id'],
  idempotency_keys: ['operation', 'key'],
  incidents: ['id'],
  alert_addresses: ['id'],
  sent_mails: ['id'],
  webhook_statistics: ['subject_id', 'minutes', 'bucket', 'stripe'],
  webhook_bodies: ['id'],
  audit_log: ['id'],
  webhooks: ['id'],
  api_keys: ['id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type OrganizationTable = keyof typeof ORGANIZATION_TABLES

/** Other rows refer to these, so they are deleted last, once nothing can write a row that refers to them. */
export const LAST_TABLES: readonly OrganizationTable[] = ['webhooks', 'api_keys']

/** Rows of one page, which takes some 30 ms. */
const PAGE_ROWS = 500

/** A row of these tables takes others with it, or no index has the columns that order the rows. */
const ROWS_OF_TABLES: Partial<Record<OrganizationTable, number>> = {
  webhooks: 20,
  api_keys: 100,
  published_batches: 20_000,
  webhook_statistics: 20_000,
}

/** How long the next pass waits for those that may still write rows. */
const WAIT_FOR_WRITERS_MS = 1_000

export interface Progress {
  /** Null between two passes. */
  readonly step: string | null
  /** Where the next page of the step begins. */
  readonly reached: readonly string[] | null
  /** Transactions and keys of jobs that may still write rows of the organization. Null before they are known. */
  readonly writers: readonly string[] | null
  readonly isQuiet: boolean
  readonly deletedInPass: number
}

const START: Progress = {
  step: null,
  reached: null,
  writers: null,
  isQuiet: false,
  deletedInPass: 0,
}

/**
 * Deletes one page of an organization.
 *
 * A pass through all tables is repeated until it is quiet and finds nothing. It is quiet if, when it began, nothing could
 * write rows of the organization any more: no transaction that may have begun before the deletion, and no attempt that was
 * running then. After it come the rows that others refer to, the row of the organization, and the statistics of Postgres.
 */
export const createDeletionStep =
  (workerSchema: string): Step<unknown> =>
  async (sql, { organizationId, progress }): Promise<PageResult> => {
    const before: Progress = { ...START, ...progress }
    const startedAtMs = performance.now()
    const after =
      before.step === null
        ? await beginPass(sql, workerSchema, before)
        : await deletePage(sql, workerSchema, organizationId, before, before.step)
    if (after.step === 'end') return { isLast: true, progress: {} }
    const waits = after.step === null && !after.isQuiet
    return {
      changed: Math.max(0, after.deletedInPass - before.deletedInPass),
      progress: after,
      // Half of the time belongs to others.
      waitMs: waits ? WAIT_FOR_WRITERS_MS : performance.now() - startedAtMs,
    }
  }

/** The first pass is never quiet: its pages find the jobs that run. */
async function beginPass(sql: Sql, workerSchema: string, before: Progress): Promise<Progress> {
  const writers = await findWriters(sql, workerSchema, before.writers)
  const isQuiet = before.writers !== null && writers.length === 0
  return {
    step: nextStep(null, false),
    reached: null,
    writers,
    isQuiet,
    deletedInPass: 0,
  }
}

/**
 * The other transactions of the database that are open, or those of the known ones that still are, and the known jobs that
 * still run. A transaction may have checked the organization before its deletion was committed, and write rows of it until
 * it ends. Each transaction holds a lock of its own virtual id (https://www.postgresql.org/docs/current/view-pg-locks.html);
 * one that is prepared for two-phase commit has none any more, and counts by its transaction id. Postgres's own processes,
 * such as autovacuum, have no user and write no row. A job that a rescue adds again finds no delivery, and writes nothing.
 */
async function findWriters(
  sql: Sql,
  workerSchema: string,
  known: readonly string[] | null,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select virtualxid as id from pg_locks as l join pg_stat_activity as a using (pid)
     where l.locktype = 'virtualxid' and l.granted and l.mode = 'ExclusiveLock' and pid <> pg_backend_pid()
       and a.datname = current_database() and a.usesysid is not null
     union all
     select 'prepared ' || transaction::text from pg_prepared_xacts where database = current_database()
     union all
     select key from ${workerSchema}.jobs where key = any ($1::text[]) and locked_at is not null`,
    [known ?? []],
  )
  const open = rows.map(({ id }) => id)
  if (known === null) return open
  return open.filter((id) => known.includes(id) || (known.length > 0 && id.startsWith('prepared ')))
}

const ALERTS = 'alerts'
const ORGANIZATION = 'organizations'
/** Postgres keeps values of deleted rows in its statistics. */
const STATISTICS = 'statistics'

/** The steps of a pass. What is in a partition that maintenance has detached is past its retention, and dropped within the hour. */
const PASS: readonly string[] = [
  ...Object.keys(ORGANIZATION_TABLES).filter(
    (table) => !LAST_TABLES.includes(table as OrganizationTable),
  ),
  ALERTS,
]

/** The steps after the last pass. */
const LAST_STEPS: readonly string[] = [...LAST_TABLES, ORGANIZATION, STATISTICS, 'end']

/** The step after this one; null begins a pass, and ends one that is not the last. `end`: nothing is left. */
function nextStep(step: string | null, isLast: boolean): string | null {
  if (step === null) return PASS[0] ?? null
  const steps = isLast || LAST_STEPS.includes(step) ? [...PASS, ...LAST_STEPS] : PASS
  return steps[steps.indexOf(step) + 1] ?? null
}

async function deletePage(
  sql: Sql,
  workerSchema: string,
  organizationUuid: string,
  before: Progress,
  step: string,
): Promise<Progress> {
  const running =
    step === 'deliveries'
      ? await completeJobs(sql, workerSchema, organizationUuid, before.reached?.[0] ?? FIRST_ID)
      : []
  const { rows } = await sql.query<{ deleted: number; reached: string[] | null }>(
    ...statementOf(organizationUuid, before.reached, step),
  )
  const { deleted = 0, reached = null } = rows[0] ?? {}
  const deletedInPass = before.deletedInPass + deleted
  const isLast = before.isQuiet && deletedInPass === 0
  const writers = [...new Set([...(before.writers ?? []), ...running])]
  const next = reached === null ? nextStep(step, isLast) : step
  return { ...before, step: next, reached, writers, deletedInPass }
}

/** Returns the rows that it has deleted or changed, and the values of the last one: null after the last page. */
function statementOf(
  organizationUuid: string,
  after: readonly string[] | null,
  step: string,
): [string, unknown[]] {
  if (step === ALERTS) {
    const forget = 'posthorn.forget_organization_in_alerts($1, $2, $3)'
    return [
      `select changed as deleted, case when reached is not null then array[reached::text] end as reached from ${forget}`,
      [organizationUuid, after?.[0] ?? null, PAGE_ROWS],
    ]
  }
  if (step === ORGANIZATION) {
    return [
      `select * from posthorn.delete_organization_rows($1, 'organizations', '{id}', null, 1)`,
      [organizationUuid],
    ]
  }
  if (step === STATISTICS) {
    const renew = 'posthorn.renew_statistics($1)'
    return [
      `select 0 as deleted, case when name is not null then array[name] end as reached from ${renew} as name`,
      [after?.[0] ?? ''],
    ]
  }
  const table = step as OrganizationTable
  const maxRows = ROWS_OF_TABLES[table] ?? PAGE_ROWS
  return [
    'select * from posthorn.delete_organization_rows($1, $2, $3, $4, $5)',
    [organizationUuid, table, ORGANIZATION_TABLES[table], after, maxRows],
  ]
}

/**
 * Completes the jobs of the next deliveries, and returns the keys of those that run. An attempt that runs keeps its job: it
 * finds no delivery to record, and the deletion waits for the end of the job.
 */
async function completeJobs(
  sql: Sql,
  workerSchema: string,
  organizationUuid: string,
  after: string,
): Promise<string[]> {
  const { rows: deliveries } = await sql.query<{ key: string }>({
    name: 'find_deliveries_of_deleted_organization',
    text: `
      select posthorn.type_id('msg', page.id) as key from (
        select d.id, d.state from posthorn.deliveries as d where d.organization_id = $1 and d.id > $2
        order by d.id limit $3
      ) as page where page.state <> 'succeeded'`,
    values: [organizationUuid, after, PAGE_ROWS],
  })
  const keys = deliveries.map(({ key }) => key)
  await sql.query('select posthorn.complete_delivery_jobs($1::text[])', [keys])
  const { rows } = await sql.query<{ key: string }>(
    `select key from ${workerSchema}.jobs where key = any ($1::text[]) and locked_at is not null`,
    [keys],
  )
  return rows.map(({ key }) => key)
}

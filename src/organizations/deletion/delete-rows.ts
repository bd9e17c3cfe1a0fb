import type { Sql } from '../../db/client.ts'
import { FIRST_ID, type Step } from '../../queue/long-work.ts'

/**
 * The tables with rows of an organization, in the order in which a deletion empties them, with the columns that an index has
 * after `organization_id`: pages follow it. Small tables have their primary key. Posthorn first deletes what creates other
 * rows. A test fails for a table of the database for which nothing is decided.
 */
export const ORGANIZATION_TABLES: Readonly<Record<string, readonly string[]>> = {
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
}

/** Other rows refer to these, so they are deleted last, once nothing can write a row that refers to them. */
const LAST_TABLES: readonly string[] = ['webhooks', 'api_keys', 'organizations']

/** Rows of one page, which takes some 30 ms. */
const PAGE_ROWS = 500

/** A row of these tables takes others with it, or no index has the columns that order the rows. */
const ROWS_OF_TABLES: Readonly<Record<string, number>> = {
  webhooks: 20,
  api_keys: 100,
  published_batches: 20_000,
  webhook_statistics: 20_000,
}

/** How long the next pass waits for those that may still write rows. */
const WAIT_FOR_WRITERS_MS = 1_000

interface Progress {
  /** Null between two passes. */
  readonly step: string | null
  /** Where the next page of the step begins. */
  readonly reached: readonly string[] | null
  /** Transactions that may still write rows of the organization. Null before they are known. */
  readonly writers: readonly string[] | null
  readonly deletedInPass: number
}

const START: Progress = { step: null, reached: null, writers: null, deletedInPass: 0 }

/**
 * Deletes one page of an organization.
 *
 * A pass through all tables is repeated until one finds nothing that began when no transaction could write rows of the
 * organization any more. After it come the rows that others refer to, the row of the organization, and the statistics of
 * Postgres. An attempt that runs finds no delivery to record, and writes nothing.
 */
export const deletionStep: Step<unknown> = async (sql, { organizationId, progress }) => {
  const before: Progress = { ...START, ...progress }
  const startedAtMs = performance.now()
  const after =
    before.step === null
      ? await beginPass(sql, before)
      : await deletePage(sql, organizationId, before, before.step)
  if (after.step === 'end') return { isLast: true, progress: {} }
  const waits = after.step === null && after.writers?.length !== 0
  return {
    changed: Math.max(0, after.deletedInPass - before.deletedInPass),
    progress: after,
    // Half of the time belongs to others.
    waitMs: waits ? WAIT_FOR_WRITERS_MS : performance.now() - startedAtMs,
  }
}

async function beginPass(sql: Sql, { writers }: Progress): Promise<Progress> {
  return { ...START, step: PASS[0] ?? null, writers: await findWriters(sql, writers) }
}

/**
 * The other transactions of the database that are open, or those of the known ones that still are. A transaction may have
 * checked the organization before its deletion was committed, and write rows of it until it ends. Each transaction holds a
 * lock of its own virtual id (https://www.postgresql.org/docs/current/view-pg-locks.html); one that is prepared for
 * two-phase commit has none any more, and counts by its transaction id. Postgres's own processes, such as autovacuum, have
 * no user and write no row.
 */
async function findWriters(sql: Sql, known: readonly string[] | null): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select virtualxid as id from pg_locks as l join pg_stat_activity as a using (pid)
     where l.locktype = 'virtualxid' and l.granted and l.mode = 'ExclusiveLock' and pid <> pg_backend_pid()
       and a.datname = current_database() and a.usesysid is not null
     union all
     select 'prepared ' || transaction::text from pg_prepared_xacts where database = current_database()`,
  )
  const open = rows.map(({ id }) => id)
  if (known === null) return open
  return open.filter((id) => known.includes(id) || (known.length > 0 && id.startsWith('prepared ')))
}

const ALERTS = 'alerts'
/** Postgres keeps values of deleted rows in its statistics. */
const STATISTICS = 'statistics'

/** The steps of a pass. What is in a partition that maintenance has detached is past its retention, and dropped within the hour. */
const PASS: readonly string[] = [
  ...Object.keys(ORGANIZATION_TABLES).filter((table) => !LAST_TABLES.includes(table)),
  ALERTS,
]

/** Those of the last pass go on, up to `end`: nothing is left. */
const LAST_PASS: readonly string[] = [...PASS, ...LAST_TABLES, STATISTICS, 'end']

async function deletePage(
  sql: Sql,
  organizationUuid: string,
  before: Progress,
  step: string,
): Promise<Progress> {
  if (step === 'deliveries') await completeJobs(sql, organizationUuid, before.reached)
  const { rows } = await sql.query<{ deleted: number; reached: string[] | null }>(
    ...statementOf(organizationUuid, before.reached, step),
  )
  const { deleted = 0, reached = null } = rows[0] ?? {}
  const deletedInPass = before.deletedInPass + deleted
  const isLast = before.writers?.length === 0 && deletedInPass === 0
  const steps = isLast || !PASS.includes(step) ? LAST_PASS : PASS
  const next = reached === null ? (steps[steps.indexOf(step) + 1] ?? null) : step
  return { ...before, step: next, reached, deletedInPass }
}

/** Returns the rows that it has deleted or changed, and the values of the last one: null after the last page. */
function statementOf(
  organizationUuid: string,
  after: readonly string[] | null,
  step: string,
): [string, unknown[]] {
  switch (step) {
    case ALERTS: {
      const forget = 'posthorn.forget_organization_in_alerts($1, $2, $3)'
      return [
        `select changed as deleted, case when reached is not null then array[reached::text] end as reached from ${forget}`,
        [organizationUuid, after?.[0] ?? null, PAGE_ROWS],
      ]
    }
    case STATISTICS: {
      const renew = 'posthorn.renew_statistics($1)'
      return [
        `select 0 as deleted, case when name is not null then array[name] end as reached from ${renew} as name`,
        [after?.[0] ?? ''],
      ]
    }
    default: {
      const columns = ORGANIZATION_TABLES[step] ?? ['id']
      return [
        'select * from posthorn.delete_organization_rows($1, $2, $3, $4, $5)',
        [organizationUuid, step, columns, after, ROWS_OF_TABLES[step] ?? PAGE_ROWS],
      ]
    }
  }
}

/** Completes the jobs of the next deliveries, except those that run. */
async function completeJobs(
  sql: Sql,
  organizationUuid: string,
  after: readonly string[] | null,
): Promise<void> {
  await sql.query({
    name: 'complete_jobs_of_deleted_organization',
    text: `
      select posthorn.complete_delivery_jobs(array(
        select posthorn.type_id('msg', page.id) from (
          select d.id, d.state from posthorn.deliveries as d where d.organization_id = $1 and d.id > $2
          order by d.id limit $3
        ) as page where page.state <> 'succeeded'))`,
    values: [organizationUuid, after?.[0] ?? FIRST_ID, PAGE_ROWS],
  })
}

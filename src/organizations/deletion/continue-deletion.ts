import type { Database, Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { inTransaction } from '../../db/transaction.ts'
import { DELETION_QUEUE, type Page, runPages } from '../../queue/background.ts'
import { deletionKey } from '../../queue/jobs.ts'
import { completeJobs, deleteDeliveries } from './delete-deliveries.ts'
import {
  deleteOrganizationItself,
  deleteRows,
  forgetInNotices,
  type PageResult,
  renewStatistics,
} from './delete-rows.ts'
import { findOpenTransactions, findRunningJobs, findStillOpen } from './find-writers.ts'
import {
  LAST_TABLES,
  ORGANIZATION_TABLES,
  type OrganizationTable,
  PARTITIONED_TABLES,
} from './organization-tables.ts'

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

/** Runs the next pages of a deletion, and adds the job for the rest. Safe to interrupt and to repeat. */
export async function continueDeletion(
  pool: Database['pool'],
  workerSchema: string,
  organizationUuid: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const organizationId = publicId('organization', organizationUuid)
  const job = {
    task: 'delete_organization',
    key: deletionKey(organizationId),
    queue: DELETION_QUEUE,
    payload: () => ({ organizationId }),
  } as const
  await runPages(pool, job, () => runDeletionPage(pool, workerSchema, organizationUuid), signal)
}

interface Deletion {
  readonly organizationId: string
  /** Null: no pass has begun. */
  readonly step: string | null
  readonly reached: readonly string[] | null
  readonly openTransactions: readonly string[] | null
  readonly openJobs: readonly string[]
  readonly isQuiet: boolean
  /** A bigint. */
  readonly deletedInPass: string
}

/**
 * Deletes one page and moves the progress, in one transaction, so that a killed process leaves whole pages. The row of the
 * deletion is locked until the commit.
 *
 * A pass through all tables is repeated until it is quiet and finds nothing. It is quiet if, when it began, nothing could
 * write rows of the organization any more: no transaction that may have begun before the deletion, and no attempt that was
 * running then. After it come the rows that others refer to, the row of the organization, and the statistics of Postgres.
 */
export async function runDeletionPage(
  pool: Database['pool'],
  workerSchema: string,
  organizationUuid: string,
): Promise<Page | null> {
  return await inTransaction(pool, async (sql) => {
    const deletion = await lockDeletion(sql, organizationUuid)
    if (!deletion) return null
    const startedAtMs = performance.now()
    const isDone = await runStep(sql, workerSchema, deletion)
    if (isDone === 'finished') return { organizationUuid, waitMs: null }
    if (isDone === 'waits') return { organizationUuid, waitMs: WAIT_FOR_WRITERS_MS }
    // Half of the time belongs to others.
    return { organizationUuid, waitMs: performance.now() - startedAtMs }
  })
}

async function lockDeletion(sql: Sql, organizationUuid: string): Promise<Deletion | null> {
  const { rows } = await sql.query<Deletion>(
    `select organization_id as "organizationId", step, reached, open_transactions as "openTransactions",
       open_jobs as "openJobs", is_quiet as "isQuiet", deleted_in_pass as "deletedInPass"
     from posthorn.organization_deletions where organization_id = $1 and finished_at is null for update`,
    [organizationUuid],
  )
  return rows[0] ?? null
}

type Outcome = 'finished' | 'waits' | 'goes on'

async function runStep(sql: Sql, workerSchema: string, deletion: Deletion): Promise<Outcome> {
  const { step, organizationId } = deletion
  if (step === null) return await beginPass(sql, workerSchema, deletion)
  const { deleted, reached, runningJobs = [] } = await deletePage(sql, workerSchema, deletion, step)
  const deletedInPass = Number(deletion.deletedInPass) + deleted
  const isLast = deletion.isQuiet && deletedInPass === 0
  const next = reached === null ? await nextStep(sql, step, isLast) : step
  if (next === 'end') {
    await sql.query('select posthorn.finish_organization_deletion($1)', [organizationId])
    return 'finished'
  }
  await sql.query(
    `update posthorn.organization_deletions set step = $2, reached = $3, deleted_rows = deleted_rows + $4,
       deleted_in_pass = $5, open_jobs = array(select distinct key from unnest(open_jobs || $6::text[]) as key)
     where organization_id = $1`,
    [organizationId, next, reached, deleted, deletedInPass, runningJobs],
  )
  return next === null && !deletion.isQuiet ? 'waits' : 'goes on'
}

/** The first pass is never quiet: its pages find the jobs that run. */
async function beginPass(
  sql: Sql,
  workerSchema: string,
  { organizationId, openTransactions, openJobs }: Deletion,
): Promise<Outcome> {
  const transactions =
    openTransactions === null
      ? await findOpenTransactions(sql)
      : await findStillOpen(sql, openTransactions)
  const jobs = await findRunningJobs(sql, workerSchema, openJobs)
  const isQuiet = openTransactions !== null && transactions.length === 0 && jobs.length === 0
  await sql.query(
    `update posthorn.organization_deletions
     set step = $2, reached = null, open_transactions = $3, open_jobs = $4, is_quiet = $5, deleted_in_pass = 0
     where organization_id = $1`,
    [organizationId, JOBS, transactions, jobs, isQuiet],
  )
  return 'goes on'
}

/** The first and the last step of a pass, besides the tables and the detached partitions. */
const JOBS = 'jobs'
const NOTICES = 'notices'

const ORGANIZATION = 'organizations'
/** Postgres keeps values of deleted rows in its statistics. */
const STATISTICS = 'statistics'

/** The steps after the last pass. */
const LAST_STEPS: readonly string[] = [...LAST_TABLES, ORGANIZATION, STATISTICS, 'end']

/** Null: another pass begins. `end`: nothing is left. */
async function nextStep(sql: Sql, step: string, isLast: boolean): Promise<string | null> {
  if (LAST_STEPS.includes(step)) return LAST_STEPS[LAST_STEPS.indexOf(step) + 1] ?? 'end'
  if (step === NOTICES) return isLast ? (LAST_STEPS[0] ?? 'end') : null
  const tables = Object.keys(ORGANIZATION_TABLES).filter((table) => !LAST_STEPS.includes(table))
  const { rows } = await sql.query<{ name: string }>(
    'select name from posthorn.detached_partitions() as name',
  )
  const steps = [JOBS, ...tables, ...rows.map(({ name }) => name), NOTICES]
  // A partition that was dropped in the meantime is no step any more.
  const i = steps.indexOf(step)
  return i === -1 ? NOTICES : (steps[i + 1] ?? null)
}

async function deletePage(
  sql: Sql,
  workerSchema: string,
  { organizationId, reached }: Deletion,
  step: string,
): Promise<PageResult> {
  if (step === JOBS) return await completeJobs(sql, workerSchema, organizationId)
  if (step === NOTICES) return await forgetInNotices(sql, organizationId, reached, PAGE_ROWS)
  if (step === 'deliveries') {
    return await deleteDeliveries(sql, workerSchema, organizationId, reached, PAGE_ROWS)
  }
  if (step === ORGANIZATION) return await deleteOrganizationItself(sql, organizationId)
  if (step === STATISTICS) return await renewStatistics(sql, organizationId, reached)
  const table = PARTITIONED_TABLES.find((one) => step.startsWith(`${one}_`)) ?? step
  const key = ORGANIZATION_TABLES[table as OrganizationTable]
  const maxRows = ROWS_OF_TABLES[table as OrganizationTable] ?? PAGE_ROWS
  return await deleteRows(sql, organizationId, step, key, reached, maxRows)
}

import type { Actor } from '../access/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { redeliver } from '../deliveries/delivery.ts'
import { MAX_ATTEMPTS } from '../deliveries/new-delivery-sql.ts'
import { DomainError, type FieldIssue, invalid } from '../lib/errors.ts'
import { findJobsByIds } from './find-jobs.ts'
import { DELIVER, deliveryIdOf, type Job, parseJobId } from './job.ts'

/** Jobs that one call can change. */
export const MAX_JOBS = 100

/** The result for one job of a call. */
export interface JobChange {
  readonly id: string
  readonly outcome: 'changed' | 'running' | 'undeliverable' | 'not_found'
  /** The job after the call. Null if the job is gone. */
  readonly job: Job | null
}

export interface JobDeps {
  readonly prisma: Db
  readonly sql: Sql
  /** The schema of graphile-worker. */
  readonly workerSchema: string
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/**
 * Runs jobs now, including failed ones. For the job of a delivery, the delivery is redelivered: the attempt has
 * priority, and is made even if the webhook is on hold.
 */
export async function runJobsNow(deps: JobDeps, ids: readonly string[]): Promise<JobChange[]> {
  requireAtMostMaxJobs(ids)
  const found = await findJobsByIds(deps.sql, deps.workerSchema, ids)
  const changed = new Set<string>()
  for (const job of found.values()) {
    const deliveryId = deliveryIdOf(job)
    if (
      deliveryId !== null &&
      job.state !== 'running' &&
      (await tryToRedeliver(deps, deliveryId))
    ) {
      changed.add(job.id)
    }
  }
  const others = [...found.values()].filter((job) => job.task !== DELIVER).map(({ id }) => id)
  const changes = await changeJobs(deps, others, 'job.run_now', {}, rescheduleSql, [new Date()])
  for (const change of changes) if (change.outcome === 'changed') changed.add(change.id)
  await auditRedelivered(
    deps,
    [...changed].filter((id) => found.get(id)?.task === DELIVER),
    found,
  )
  return await report(deps, ids, changed)
}

/** Returns false if the delivery can no longer be sent. */
async function tryToRedeliver(
  { prisma, sql, actor }: JobDeps,
  deliveryId: string,
): Promise<boolean> {
  const uuid = parseId('delivery', deliveryId) as string
  const delivery = await prisma.delivery.findUnique({
    where: { id: uuid },
    select: { organizationId: true },
  })
  if (!delivery) return false
  try {
    await redeliver({ prisma, sql, actor }, delivery.organizationId, deliveryId)
    return true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

async function auditRedelivered(
  { sql, actor }: JobDeps,
  ids: readonly string[],
  jobs: ReadonlyMap<string, Job>,
): Promise<void> {
  await sql.query(
    `select posthorn.write_audit_entry($1, d.organization_id, 'job.run_now', job.id, null,
       jsonb_build_object('key', job.key))
     from unnest($2::text[], $3::text[]) as job (id, key)
     left join posthorn.deliveries as d on d.id = posthorn.parse_type_id('msg', job.key)`,
    [actorJson(actor), ids, ids.map((id) => jobs.get(id)?.key ?? null)],
  )
}

/**
 * Reschedules jobs, including failed ones, and the next attempts of their deliveries. An exhausted or canceled delivery
 * becomes pending again with a full retry schedule.
 */
export async function rescheduleJobs(
  deps: JobDeps,
  ids: readonly string[],
  runAt: Date,
): Promise<JobChange[]> {
  return await changeJobs(deps, ids, 'job.rescheduled', { runAt }, rescheduleSql, [runAt])
}

const rescheduleSql = (schema: string) => `
  delivery as (
    update posthorn.deliveries as d set
      state = 'pending', finished_at = null, next_attempt_at = greatest($2::timestamptz, now()), is_backfilled = true,
      job_written_at = now(),
      schedule_position = case when d.state = 'pending' then d.schedule_position else 0 end,
      max_attempts = case when d.state = 'pending' then greatest(d.max_attempts, d.attempt_count + 1)
        else d.attempt_count + (${MAX_ATTEMPTS}) end
    from job, posthorn.webhooks as w
    where d.id = posthorn.parse_type_id('msg', job.key) and d.parked_at is null and d.state <> 'succeeded'
      and w.id = d.webhook_id and w.deleted_at is null
    returning job.id, d.attempt_count, d.max_attempts
  ),
  changed as (
    select moved.id, moved.key from delivery, lateral ${schema}.reschedule_jobs(array[delivery.id], run_at := $2,
      attempts := delivery.attempt_count, max_attempts := delivery.max_attempts) as moved
    union all
    select moved.id, moved.key from job, lateral ${schema}.reschedule_jobs(array[job.id], run_at := $2, attempts := 0)
      as moved
    where job.task_identifier <> '${DELIVER}'
  )`

/** Fails jobs permanently. Their deliveries are canceled with `reason`, which has 1 to 1,000 characters. */
export async function failJobs(
  deps: JobDeps,
  ids: readonly string[],
  reason: string,
): Promise<JobChange[]> {
  if (reason.trim().length < 1 || reason.length > 1_000 || reason.includes('\0')) {
    throw invalid([
      {
        path: ['reason'],
        code: 'invalid_length',
        detail: 'reason must have 1 to 1,000 characters, none of them NUL.',
      },
    ])
  }
  const changes = await changeJobs(deps, ids, 'job.failed', { reason }, failSql, [reason])
  const uuids = changes.flatMap(({ outcome, job }) => {
    const deliveryId = outcome === 'changed' && job ? deliveryIdOf(job) : null
    return (deliveryId && parseId('delivery', deliveryId)) ?? []
  })
  // Like the job of an exhausted delivery, the failed job stays visible, with the reason.
  await cancelDeliveries(deps.sql, uuids, deps.actor, reason)
  return changes
}

const failSql = (schema: string) => `
  changed as (
    select failed.id, failed.key
    from ${schema}.permanently_fail_jobs(array(select id from job), $2) as failed
  )`

/** Removes jobs as completed. The sweep restores the job of a pending delivery within five minutes. */
export async function completeJobs(deps: JobDeps, ids: readonly string[]): Promise<JobChange[]> {
  return await changeJobs(deps, ids, 'job.completed', {}, completeSql, [])
}

const completeSql = (schema: string) => `
  changed as (
    select completed.id, completed.key from ${schema}.complete_jobs(array(select id from job)) as completed
  )`

/** The functions of graphile-worker skip running jobs and return the jobs that they changed. */
async function changeJobs(
  deps: JobDeps,
  ids: readonly string[],
  action: AuditAction,
  after: object,
  changeSql: (schema: string) => string,
  values: readonly unknown[],
): Promise<JobChange[]> {
  requireAtMostMaxJobs(ids)
  const { sql, workerSchema, actor } = deps
  const first = values.length + 2
  const { rows } = await sql.query<{ id: string }>(
    `with job as materialized (
       select job.id, job.key, job.task_identifier from ${workerSchema}.jobs as job
       where job.id = any ($1::bigint[]) and job.task_identifier like 'posthorn:%' and job.locked_at is null
     ),
     ${changeSql(workerSchema)},
     audited as (
       select count(posthorn.write_audit_entry($${first}, delivery.organization_id, $${first + 1}, changed.id::text, null,
         $${first + 2}::jsonb || jsonb_build_object('key', changed.key)))
       from changed
       left join posthorn.deliveries as delivery on delivery.id = posthorn.parse_type_id('msg', changed.key)
     )
     select changed.id::text as id from changed left join audited on true`,
    [
      [...new Set(ids)].filter((id) => parseJobId(id) !== null),
      ...values,
      actorJson(actor),
      action,
      JSON.stringify(after),
    ],
  )
  return await report(deps, ids, new Set(rows.map(({ id }) => id)))
}

async function report(
  { sql, workerSchema }: JobDeps,
  ids: readonly string[],
  changed: ReadonlySet<string>,
): Promise<JobChange[]> {
  const jobs = await findJobsByIds(sql, workerSchema, ids)
  return ids.map((id) => {
    const job = jobs.get(id) ?? null
    return { id, outcome: changed.has(id) ? 'changed' : outcomeOf(job), job }
  })
}

function outcomeOf(unchanged: Job | null): JobChange['outcome'] {
  if (!unchanged) return 'not_found'
  return unchanged.state === 'running' ? 'running' : 'undeliverable'
}

function requireAtMostMaxJobs(ids: readonly string[]): void {
  if (ids.length > MAX_JOBS) throw invalid([tooMany(ids.length)])
}

function tooMany(count: number): FieldIssue {
  const detail = `ids must have at most ${MAX_JOBS} entries, not ${count}.`
  return { path: ['ids'], code: 'too_many', detail }
}

import { type Actor, SYSTEM } from '../audit/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { type FieldIssue, invalid } from '../errors.ts'
import { findJobsByIds } from './find-jobs.ts'
import { type Job, parseJobId } from './job.ts'

/** Of one call. */
export const MAX_JOBS = 100

/** What became of one job that was to be changed. */
export interface JobChange {
  readonly id: string
  readonly outcome: 'changed' | 'running' | 'not_found'
  /** As it is now; null when it is gone. */
  readonly job: Job | null
}

/** Makes them due, failed ones too, with all their attempts before them. */
export async function runJobsNow(
  sql: Sql,
  ids: readonly string[],
  actor: Actor = SYSTEM,
): Promise<JobChange[]> {
  return await moveJobs(sql, ids, null, audit(actor, 'job.run_now'))
}

/**
 * Moves them to another time (null: now), failed ones too, with all their attempts before them. Their deliveries say the same time,
 * except those that wait in the line of their webhook.
 */
export async function rescheduleJobs(
  sql: Sql,
  ids: readonly string[],
  runAt: Date | null,
  actor: Actor = SYSTEM,
): Promise<JobChange[]> {
  return await moveJobs(sql, ids, runAt, audit(actor, 'job.rescheduled', { runAt }))
}

async function moveJobs(
  sql: Sql,
  ids: readonly string[],
  runAt: Date | null,
  audited: Audited,
): Promise<JobChange[]> {
  return await changeJobs(
    sql,
    ids,
    `changed as (
       select id, key from graphile_worker.reschedule_jobs($1, run_at := coalesce($2::timestamptz, now()), attempts := 0)
     ),
     deliveries as (
       update posthorn.deliveries as d set next_attempt_at = coalesce($2, now()) from changed
       where d.id = posthorn.parse_type_id('msg', changed.key) and d.state = 'pending' and d.parked_at is null
     )`,
    [runAt],
    audited,
  )
}

/** Lets them be, as failed for good. The delivery of one stays pending, and the sweep makes its job anew. */
export async function failJobs(
  sql: Sql,
  ids: readonly string[],
  reason: string,
  actor: Actor = SYSTEM,
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
  const fail = 'changed as (select id, key from graphile_worker.permanently_fail_jobs($1, $2))'
  return await changeJobs(sql, ids, fail, [reason], audit(actor, 'job.failed', { reason }))
}

/** Removes them as if they had been done. The delivery of one stays pending, and the sweep makes its job anew. */
export async function completeJobs(
  sql: Sql,
  ids: readonly string[],
  actor: Actor = SYSTEM,
): Promise<JobChange[]> {
  const complete = 'changed as (select id, key from graphile_worker.complete_jobs($1))'
  return await changeJobs(sql, ids, complete, [], audit(actor, 'job.completed'))
}

/** What is written down of each job that is changed. */
interface Audited {
  readonly actor: Actor
  readonly action: AuditAction
  readonly after: object
}

function audit(actor: Actor, action: AuditAction, after: object = {}): Audited {
  return { actor, action, after }
}

/** The functions of graphile-worker skip the jobs that run, and answer with those that they changed. */
async function changeJobs(
  sql: Sql,
  ids: readonly string[],
  change: string,
  values: readonly unknown[],
  { actor, action, after }: Audited,
): Promise<JobChange[]> {
  if (ids.length > MAX_JOBS) throw invalid([tooMany(ids.length)])
  const first = values.length + 2
  const { rows } = await sql.query<{ id: string }>(
    `with ${change},
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
  const changed = new Set(rows.map((row) => row.id))
  const jobs = await findJobsByIds(sql, ids)
  return ids.map((id) => {
    const job = jobs.get(id) ?? null
    return { id, outcome: changed.has(id) ? 'changed' : job ? 'running' : 'not_found', job }
  })
}

function tooMany(count: number): FieldIssue {
  const detail = `ids must have at most ${MAX_JOBS} entries, not ${count}.`
  return { path: ['ids'], code: 'too_many', detail }
}

import type { Db } from '../db/client.ts'

/** Every task of the worker, with the payload of its jobs. A payload holds ids, never a secret. */
export interface TaskPayloads {
  /** Make one attempt for a delivery. The job's key is the delivery's id. */
  deliver: { readonly deliveryId: string }
  /** Make due what waits in the line of a webhook, as far as there is room. */
  release_waiting_deliveries: { readonly webhookId: string }
  /** Cancel what is still owed to a deleted webhook. */
  cancel_deliveries: { readonly webhookId: string }
  /** Go on with a recovery. The job's key is the recovery's id. */
  recover_deliveries: { readonly recoveryId: string }
  /** Make partitions ahead, and drop or erase what is past its time. */
  maintain: Record<string, never>
  /** Find deliveries without a job, and jobs without a delivery. */
  sweep_orphans: Record<string, never>
  /** Keep the index of waiting deliveries and the statistics of whole hours up to date. */
  keep_up: Record<string, never>
}

export type TaskName = keyof TaskPayloads

export interface JobOptions {
  /** A job that waits under the same key is replaced by this one. */
  readonly key?: string
  readonly runAt?: Date
}

/** Adds a job inside the caller's transaction: it exists if and only if that commits. */
export async function enqueue<Name extends TaskName>(
  db: Db,
  name: Name,
  payload: TaskPayloads[Name],
  { key, runAt }: JobOptions = {},
): Promise<void> {
  await db.$executeRaw`
    select from graphile_worker.add_job(
      ${name}, payload := ${JSON.stringify(payload)}::json, run_at := ${runAt ?? null}::timestamptz, job_key := ${key ?? null})`
}

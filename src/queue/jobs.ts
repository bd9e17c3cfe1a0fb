import type { Db } from '../db/client.ts'

/** Every task of the worker, with the payload of its jobs: public ids, never a secret. */
export interface TaskPayloads {
  /** Make one attempt for a delivery. The job's key is the delivery's id. */
  deliver: {
    readonly deliveryId: string
    readonly webhookId: string
    readonly eventType: string
    readonly organizationId: string
  }
  /** Release from the backlog of a webhook, as far as there is room. */
  release_backlog: { readonly webhookId: string }
  /** Cancel the pending deliveries of a deleted webhook. */
  cancel_deliveries: { readonly webhookId: string }
  /** Continue a recovery. The job's key is the recovery's id. */
  recover_deliveries: { readonly recoveryId: string }
  /** Create partitions ahead, and drop or delete what is past its retention. */
  maintain: Record<string, never>
  /** Compare the deliveries with their jobs, and put right what differs. */
  sweep: Record<string, never>
  /** Backfill the index of states, roll up statistics, and prune schedules. */
  roll_up: Record<string, never>
}

export type TaskName = keyof TaskPayloads

/** What a task gets from the runner. */
export interface TaskRun {
  /** Aborted when the process shuts down and waits no longer. */
  readonly signal: AbortSignal
  /** Throws where the runner has been taken for dead, so that others may run its jobs. */
  fence(): void | Promise<void>
}

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
    select posthorn.enqueue(${name}, ${JSON.stringify(payload)}::json, ${key ?? null}, ${runAt ?? null}::timestamptz)`
}

import type { Db } from '../db/client.ts'

/** Every task of the worker, with the payload of its jobs. A payload holds public ids, never a secret. */
export interface TaskPayloads {
  /** Make one attempt for a delivery. The job's key is the delivery's id. */
  deliver: {
    readonly deliveryId: string
    readonly webhookId: string
    readonly eventType: string
    readonly organizationId: string
  }
  /** Release parked deliveries of a webhook, as far as there is room. */
  release_backlog: { readonly webhookId: string }
  /** Cancel the deliveries of a deleted webhook. */
  cancel_deliveries: { readonly webhookId: string }
  /** Continue a recovery. The job's key is the recovery's id. */
  recover_deliveries: { readonly recoveryId: string }
  /** Create partitions ahead, and delete what is past its retention. */
  maintain: Record<string, never>
  /** Compare deliveries with their jobs. */
  sweep: Record<string, never>
  /** Backfill the index of states, roll up statistics, and prune schedules. */
  roll_up: Record<string, never>
}

export type TaskName = keyof TaskPayloads

/** The prefix of our task identifiers, so that other programs' tasks in the same schema never meet ours. */
export const TASK_PREFIX = 'posthorn:'

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
    select posthorn.enqueue(
      ${name}, ${JSON.stringify(payload)}::json, ${key ?? null}, ${runAt ?? null}::timestamptz)`
}

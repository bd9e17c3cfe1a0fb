import type { Db } from '../db/client.ts'
import type { Delivery, Organization, Prisma } from '../db/generated/prisma/client.ts'
import { atLeastKey } from '../db/selection.ts'
import { parseId } from '../ids.ts'

/** Where a job stands, as graphile-worker sees it. */
export const JOB_STATES = ['due', 'waiting', 'running', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Something that graphile-worker holds to be done. Jobs that were done are gone. */
export interface Job {
  /** A number in decimal digits. */
  readonly id: string
  readonly task: string
  readonly state: JobState
  readonly runAt: Date
  /** How often it was begun. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly lastError: string | null
  readonly createdAt: Date
  readonly lockedAt: Date | null
  readonly lockedBy: string | null
  readonly payload: unknown
}

/** The columns of a `Job`, of a row called `job`. (The view `graphile_worker.jobs` has no payload.) */
export const JOB_COLUMNS = `
  job.id::text as id,
  (select task.identifier from graphile_worker._private_tasks as task where task.id = job.task_id) as task,
  case
    when job.locked_at is not null then 'running'
    when job.attempts >= job.max_attempts then 'failed'
    when job.run_at <= now() then 'due'
    else 'waiting'
  end as state,
  job.run_at as "runAt", job.attempts, job.max_attempts as "maxAttempts", job.last_error as "lastError",
  job.created_at as "createdAt", job.locked_at as "lockedAt", job.locked_by as "lockedBy", job.payload`

/** The same, as conditions on a row called `job` that the indexes know. */
export const IN_STATE: Readonly<Record<JobState, string>> = {
  due: 'job.is_available = true and job.run_at <= now()',
  waiting: 'job.is_available = true and job.run_at > now()',
  running: 'not job.is_available and job.locked_at is not null',
  failed: 'not job.is_available and job.locked_at is null',
}

/** The id of a job as a caller gives it -> one that Postgres takes as `bigint`, or `null`. */
export function parseJobId(id: string): string | null {
  return /^[1-9]\d{0,17}$/.test(id) ? id : null
}

/** The public id of the delivery that a job makes an attempt for. */
export function deliveryIdOf({ task, payload }: Job): string | null {
  if (task !== 'deliver' || typeof payload !== 'object' || payload === null) return null
  const { deliveryId } = payload as { deliveryId?: unknown }
  return typeof deliveryId === 'string' ? deliveryId : null
}

/** The deliveries with these public ids, of whatever organization, in their order. */
export async function findDeliveriesOfJobs(
  db: Db,
  ids: readonly string[],
  selection: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>,
): Promise<(Delivery | null)[]> {
  const uuids = ids.map((id) => parseId('delivery', id))
  const found = await db.delivery.findMany({
    ...selection,
    where: { id: { in: uuids.filter((uuid) => uuid !== null) } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  return uuids.map((uuid) => (uuid === null ? null : (byId.get(uuid) ?? null)))
}

/** The organizations that the deliveries with these public ids belong to, in the order of the ids. */
export async function findOrganizationsOfJobs(
  db: Db,
  ids: readonly string[],
  selection: Pick<Prisma.OrganizationFindManyArgs, 'select' | 'include'>,
): Promise<(Organization | null)[]> {
  const deliveries = await findDeliveriesOfJobs(db, ids, {
    select: { id: true, organizationId: true },
  })
  const found = await db.organization.findMany({
    ...atLeastKey(selection),
    where: { id: { in: [...new Set(deliveries.flatMap((each) => each?.organizationId ?? []))] } },
  })
  const byId = new Map(found.map((organization) => [organization.id, organization]))
  return deliveries.map((each) => (each === null ? null : (byId.get(each.organizationId) ?? null)))
}

import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { BulkTaskAction, PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import type { Selection, SelectionCount } from './selection.ts'

export interface StartDeps {
  readonly prisma: PrismaClient
  /** The actor, for the audit log. */
  readonly actor: Actor
}

export interface NewTask {
  /** Default: a new one. */
  readonly id?: string
  readonly action: BulkTaskAction
  readonly webhookUuid: string | null
  readonly selection: Selection
  /** The value of a search key, encrypted until the task ends. */
  readonly valueCiphertext?: Uint8Array<ArrayBuffer>
  /** Null for an erasure. */
  readonly ratePerSecond: number | null
  readonly counted: SelectionCount
  /** What the audit log shows of it. */
  readonly audited: object
}

/** Creates the task and its first job in one transaction. Returns the public id. Throws `conflict` if too many run. */
export async function startTask(
  { prisma, actor }: StartDeps,
  organizationId: string,
  { webhookUuid, selection, counted, audited, ...task }: NewTask,
): Promise<string> {
  const { action } = task
  return await actForOrganization(prisma, organizationId, async (tx) => {
    // The starts of an organization check and insert one after the other.
    await tx.$queryRaw`
      select pg_advisory_xact_lock(hashtextextended('posthorn.bulk_tasks:' || ${organizationId}, 0))::text`
    if (action === 'recover') await requireNoRecovery(tx, webhookUuid as string)
    else await requireFewRunning(tx, organizationId, action)
    const { id } = await tx.bulkTask.create({
      data: {
        ...{ ...task, organizationId, webhookId: webhookUuid },
        selection: JSON.parse(JSON.stringify(selection)),
        total: counted.count,
        totalIsExact: counted.exact,
      },
      select: { id: true },
    })
    const taskId = publicId('bulkTask', id)
    const job = { key: taskId, queue: backgroundQueue(organizationId) }
    await enqueue(tx, 'continue_bulk_task', { taskId }, job)
    const entry = { action: 'bulk_task.started', organizationId, subjectId: taskId } as const
    await writeAuditEntry(tx, actor, { ...entry, after: { action, ...audited } })
    return taskId
  })
}

const MAX_RUNNING = 10

const TASKS = { redeliver: 'redeliveries', cancel: 'cancelations', erase: 'erasures' }

async function requireFewRunning(
  tx: Db,
  organizationId: string,
  action: keyof typeof TASKS,
): Promise<void> {
  const running = await tx.bulkTask.count({ where: { organizationId, state: 'running', action } })
  if (running < MAX_RUNNING) return
  throw new DomainError(
    'conflict',
    `${running} ${TASKS[action]} of the organization are running, and it can have ${MAX_RUNNING} at a time. Wait until one ends.`,
  )
}

async function requireNoRecovery(tx: Db, webhookUuid: string): Promise<void> {
  const other = await tx.bulkTask.findFirst({
    where: { webhookId: webhookUuid, state: 'running', action: 'recover' },
    select: { id: true },
  })
  if (!other) return
  throw new DomainError(
    'conflict',
    `The recovery ${publicId('bulkTask', other.id)} of the webhook ${publicId('webhook', webhookUuid)} is running, and a webhook has one recovery at a time. Wait until that recovery ends, or cancel it.`,
  )
}

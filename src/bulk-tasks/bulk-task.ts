import type { Actor } from '../auth/access/actor.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type {
  BulkTask,
  BulkTaskAction,
  Prisma,
  PrismaClient,
} from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { filteredWebhook } from '../deliveries/read-filters.ts'
import { DomainError, notFound } from '../lib/errors.ts'

type Fields = Pick<Prisma.BulkTaskFindManyArgs, 'select'>

/** The organization's task with a public id, or `null`. */
export async function findBulkTask(
  db: Db,
  organizationId: string,
  id: string,
  fields: Fields,
): Promise<BulkTask | null> {
  const uuid = parseId('bulkTask', id)
  if (!uuid) return null
  const where = { id: uuid, organizationId }
  return await db.bulkTask.findUnique({ ...atLeastKey(fields), where })
}

/** Conditions on tasks. A missing or null field matches every task. */
export interface BulkTaskFilter {
  /** A public id. Matches the tasks whose deliveries are all to this webhook. */
  readonly webhookId?: string | null | undefined
  readonly action?: BulkTaskAction | null | undefined
}

/** A page of an organization's tasks, newest first. */
export async function findBulkTasks(
  db: Db,
  organizationId: string,
  { webhookId, action }: BulkTaskFilter,
  query: Fields & Page,
): Promise<BulkTask[]> {
  const webhookUuid = filteredWebhook(webhookId)
  const { where, ...page } = pageOf(query, 'newest first')
  const filter = { ...(webhookUuid && { webhookId: webhookUuid }), ...(action && { action }) }
  return await db.bulkTask.findMany({ ...page, where: { ...where, ...filter, organizationId } })
}

/**
 * Cancels a running task after its current page. Changed deliveries stay changed. Canceling again changes nothing. Throws
 * `conflict` for an erasure or a deletion, and if the task has already changed all its deliveries.
 */
export async function cancelBulkTask(
  prisma: PrismaClient,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('bulkTask', id)
  if (!uuid) throw notFound('bulk task', id)
  const where = { id: uuid, organizationId }
  const canceled = await actForOrganization(prisma, organizationId, async (tx) => {
    const { count } = await tx.bulkTask.updateMany({
      where: { ...where, state: 'running', action: { in: ['redeliver', 'cancel', 'recover'] } },
      data: { state: 'canceled', finishedAt: new Date() },
    })
    if (count === 0) return false
    const entry = { action: 'bulk_task.canceled', organizationId, subjectId: id } as const
    await writeAuditEntry(tx, actor, entry)
    return true
  })
  if (canceled) return
  const task = await prisma.bulkTask.findUnique({ where, select: { state: true, action: true } })
  if (!task) throw notFound('bulk task', id)
  if (task.state === 'canceled') return
  throw new DomainError(
    'conflict',
    `The bulk task ${id}, action ${task.action}, is ${task.state}. Only a running redelivery, cancelation or recovery can be canceled.`,
  )
}

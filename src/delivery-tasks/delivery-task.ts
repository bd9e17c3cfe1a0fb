import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { DeliveryTask, Prisma, PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { DomainError, notFound } from '../lib/errors.ts'

type Selection = Pick<Prisma.DeliveryTaskFindManyArgs, 'select' | 'include'>

/** The organization's task with a uuid, or `null`. */
export async function findDeliveryTask(
  db: Db,
  organizationId: string,
  uuid: string,
  selection: Selection,
): Promise<DeliveryTask | null> {
  return await db.deliveryTask.findUnique({
    ...atLeastKey(selection),
    where: { id: uuid, organizationId },
  })
}

/** The organization's task with a public id, or `null`. */
export async function findDeliveryTaskById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<DeliveryTask | null> {
  const uuid = parseId('deliveryTask', id)
  return uuid ? await findDeliveryTask(db, organizationId, uuid, selection) : null
}

/** A page of an organization's tasks, newest first. */
export async function findDeliveryTasks(
  db: Db,
  organizationId: string,
  query: Selection & Page,
): Promise<DeliveryTask[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.deliveryTask.findMany({ ...page, where: { ...where, organizationId } })
}

/**
 * Cancels a running task after its current page. Changed deliveries stay changed. Canceling again changes nothing. Throws
 * `conflict` if the task has already changed all its deliveries.
 */
export async function cancelDeliveryTask(
  prisma: PrismaClient,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('deliveryTask', id)
  if (!uuid) throw notFound('delivery task', id)
  const where = { id: uuid, organizationId }
  const canceled = await actForOrganization(prisma, organizationId, async (tx) => {
    const { count } = await tx.deliveryTask.updateMany({
      where: { ...where, state: 'running' },
      data: { state: 'canceled', finishedAt: new Date() },
    })
    if (count === 0) return false
    const entry = { action: 'delivery_task.canceled', organizationId, subjectId: id } as const
    await writeAuditEntry(tx, actor, entry)
    return true
  })
  if (canceled) return
  const task = await prisma.deliveryTask.findUnique({ where, select: { state: true } })
  if (!task) throw notFound('delivery task', id)
  if (task.state === 'canceled') return
  throw new DomainError(
    'conflict',
    task.state === 'failed'
      ? `The delivery task ${id} has failed. Only a running task can be canceled.`
      : `The delivery task ${id} has changed all its deliveries. Only a running task can be canceled.`,
  )
}

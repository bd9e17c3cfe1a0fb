import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { type ParsedTask, parseTask, type TaskAction, type TaskInput } from './parse-task.ts'
import { countSelected, type SelectionCount } from './task-selection.ts'

export interface StartDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** A started task, or the count of a dry run. */
export interface StartedTask extends SelectionCount {
  /** Null for a dry run. */
  readonly taskUuid: string | null
}

const MAX_RUNNING = 10

/**
 * Starts a task, which redelivers or cancels deliveries in the background. A dry run only counts them. Throws `not_found`
 * for an id of another organization, and `conflict` if too many tasks of the organization are running. `onlyWebhook`
 * limits the task to the deliveries of one webhook. Null: of all webhooks of the organization.
 */
export async function startDeliveryTask(
  { prisma, sql, actor }: StartDeps,
  organizationId: string,
  action: TaskAction,
  {
    dryRun,
    onlyWebhook,
    ...input
  }: TaskInput & {
    readonly dryRun: boolean
    readonly onlyWebhook: string | null
  },
): Promise<StartedTask> {
  const task = ofWebhook(parseTask(action, input), onlyWebhook)
  const webhookUuid = onlyWebhook ?? task.filter?.webhookUuid ?? null
  if (task.deliveryIds) await requireOwn(sql, organizationId, onlyWebhook, task.deliveryIds)
  const counted = await countSelected(sql, organizationId, task)
  if (dryRun) return { ...counted, taskUuid: null }
  const taskUuid = await actForOrganization(prisma, organizationId, async (tx) => {
    await requireFewRunning(tx, organizationId)
    const { id } = await insertTask(tx, organizationId, action, webhookUuid, task, counted)
    const taskId = publicId('deliveryTask', id)
    const job = { key: taskId, queue: backgroundQueue(organizationId) }
    await enqueue(tx, 'continue_delivery_task', { taskId }, job)
    await writeAuditEntry(tx, actor, {
      action: 'delivery_task.started',
      organizationId,
      subjectId: taskId,
      after: { action, ...(input.ids ? { ids: input.ids } : { filter: auditedFilter(task) }) },
    })
    return id
  })
  return { ...counted, taskUuid }
}

function ofWebhook(task: ParsedTask, webhookUuid: string | null): ParsedTask {
  return webhookUuid && task.filter ? { ...task, filter: { ...task.filter, webhookUuid } } : task
}

async function requireOwn(
  sql: Sql,
  organizationId: string,
  webhookUuid: string | null,
  deliveryIds: readonly string[],
): Promise<void> {
  const own = await selectIds(
    sql,
    `select id from posthorn.deliveries
     where id = any ($1::uuid[]) and organization_id = $2 and ($3::uuid is null or webhook_id = $3)`,
    [deliveryIds, organizationId, webhookUuid],
  )
  const unknown = deliveryIds.find((id) => !own.has(id))
  if (unknown) throw notFound('delivery', publicId('delivery', unknown))
}

/** The lock makes the starts of an organization count and insert one after the other. */
async function requireFewRunning(tx: Db, organizationId: string): Promise<void> {
  await tx.$queryRaw`
    select pg_advisory_xact_lock(hashtextextended('posthorn.delivery_tasks:' || ${organizationId}, 0))::text`
  const running = await tx.deliveryTask.count({ where: { organizationId, state: 'running' } })
  if (running < MAX_RUNNING) return
  throw new DomainError(
    'conflict',
    `${running} delivery tasks of the organization are running, and it can have ${MAX_RUNNING} at a time. Wait until one ends, or cancel one.`,
  )
}

async function insertTask(
  tx: Db,
  organizationId: string,
  action: TaskAction,
  webhookUuid: string | null,
  { deliveryIds, filter, ratePerSecond }: ParsedTask,
  { count, exact }: SelectionCount,
): Promise<{ id: string }> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    insert into posthorn.delivery_tasks (organization_id, webhook_id, action, delivery_ids, filter, rate_per_second,
      total, total_is_exact)
    values (${organizationId}::uuid, ${webhookUuid}::uuid, ${action}::posthorn.delivery_task_action,
      ${deliveryIds}::uuid[], ${filter && JSON.stringify(filter)}::jsonb, ${ratePerSecond}, ${count}, ${exact})
    returning id`
  if (!row) throw new Error('The delivery task was not inserted.')
  return row
}

/** The filter as the caller gave it, with public ids. */
function auditedFilter({ filter }: ParsedTask) {
  const { anyAttempt, ...rest } = filter ?? {}
  return {
    ...withPublicIds(rest),
    ...(anyAttempt && { anyAttempt: withPublicIds(anyAttempt) }),
  }
}

function withPublicIds<Filter extends Pick<DeliveryFilter, 'webhookUuid' | 'webhookUuids'>>({
  webhookUuid,
  webhookUuids,
  ...rest
}: Filter) {
  return {
    ...rest,
    ...(webhookUuid && { webhookId: publicId('webhook', webhookUuid) }),
    ...(webhookUuids && { webhookIds: webhookUuids.map((uuid) => publicId('webhook', uuid)) }),
  }
}

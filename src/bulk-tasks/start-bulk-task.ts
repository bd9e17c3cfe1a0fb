import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { BulkTaskAction, PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import type { DeliveryFilterInput } from '../deliveries/read-filters.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { effectiveRetention } from '../retention/effective-retention.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import { parseDeliveries, parseRecovery, type RecoveryInput } from './parse-task.ts'
import { countRecoverable } from './recovery-count.ts'
import { countNamed, countSelected, readTaskFilter } from './selected-deliveries.ts'
import type { Selection, SelectionCount } from './selection.ts'

export interface StartDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** A started task, or the count of a dry run. */
export interface StartedTask extends SelectionCount {
  /** A public id. Null for a dry run. */
  readonly taskId: string | null
}

/** The input of a redelivery or cancelation. A missing or null field has its default. */
export interface DeliveriesInput {
  /** Public ids. */
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveryFilterInput | null | undefined
  readonly ratePerSecond?: number | null | undefined
  readonly dryRun?: boolean | null | undefined
}

/**
 * Starts a task that redelivers or cancels deliveries in the background. A dry run only counts them. Throws `not_found`
 * for an id of another organization, and `conflict` if too many tasks of the organization are running. `onlyWebhook`
 * limits the task to the deliveries of one webhook. Null: of all webhooks of the organization.
 */
export async function changeDeliveries(
  deps: StartDeps,
  organizationId: string,
  action: 'redeliver' | 'cancel',
  { ids, filter, ratePerSecond: rate, dryRun }: DeliveriesInput,
  onlyWebhook: string | null,
): Promise<StartedTask> {
  const given = filter && readTaskFilter(filter)
  const { selection, ratePerSecond } = parseDeliveries(action, ids, given, rate)
  const webhookUuid = onlyWebhook ?? given?.webhookUuid ?? null
  const limited =
    'filter' in selection ? { filter: { ...selection.filter, webhookUuid } } : selection
  if ('ids' in selection) await requireOwn(deps.sql, organizationId, onlyWebhook, selection.ids)
  const counted =
    'ids' in limited
      ? await countNamed(deps.sql, action, limited.ids)
      : await countSelected(deps.sql, organizationId, limited)
  if (dryRun) return { ...counted, taskId: null }
  const audited = ids
    ? { ids }
    : { filter, ...(webhookUuid && { webhookId: publicId('webhook', webhookUuid) }) }
  const task = { action, webhookUuid, selection: limited, ratePerSecond, counted, audited }
  return { ...counted, taskId: await startTask(deps, organizationId, task) }
}

/**
 * Starts a recovery, which queues a webhook's failed and missed deliveries in the background. A dry run only counts
 * them. Throws `conflict` if the webhook is disabled (except for a dry run) or another of its recoveries is running.
 */
export async function recoverDeliveries(
  { retentionMs, ...deps }: StartDeps & { readonly retentionMs: number },
  organizationId: string,
  webhookId: string,
  { dryRun, ...input }: RecoveryInput & { readonly dryRun?: boolean | null | undefined },
): Promise<StartedTask> {
  const webhook = await findWebhook(deps.prisma, organizationId, webhookId)
  const { retentionDays } = await findOrganization(deps.prisma, organizationId, {
    select: { retentionDays: true },
  })
  const retention = effectiveRetention(retentionMs / DAY_MS, retentionDays)
  const { selection, ratePerSecond } = parseRecovery(input, retention)
  if (!dryRun && !webhook.enabled) {
    throw new DomainError(
      'conflict',
      `The webhook ${webhookId} is disabled. Enable it, then start the recovery. (A dry run works for a disabled webhook too.)`,
    )
  }
  const counted = await countRecoverable(deps.sql, webhook, selection)
  if (dryRun) return { ...counted, taskId: null }
  const audited = { webhookId, ...selection, ratePerSecond }
  const task = { webhookUuid: webhook.id, selection, ratePerSecond, counted, audited }
  const taskId = await startTask(deps, organizationId, { action: 'recover', ...task })
  return { ...counted, taskId }
}

const DAY_MS = 86_400_000

interface NewTask {
  readonly action: BulkTaskAction
  readonly webhookUuid: string | null
  readonly selection: Selection
  readonly ratePerSecond: number
  readonly counted: SelectionCount
  /** What the audit log shows of it. */
  readonly audited: object
}

/** Creates the task and its first job in one transaction. Returns the public id. */
async function startTask(
  { prisma, actor }: StartDeps,
  organizationId: string,
  task: NewTask,
): Promise<string> {
  const { action, webhookUuid, selection, ratePerSecond, counted, audited } = task
  return await actForOrganization(prisma, organizationId, async (tx) => {
    // The starts of an organization check and insert one after the other.
    await tx.$queryRaw`
      select pg_advisory_xact_lock(hashtextextended('posthorn.bulk_tasks:' || ${organizationId}, 0))::text`
    if (action === 'recover') await requireNoRecovery(tx, webhookUuid as string)
    else await requireFewRunning(tx, organizationId)
    const { id } = await tx.bulkTask.create({
      data: {
        ...{ organizationId, webhookId: webhookUuid, action, ratePerSecond },
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

async function requireFewRunning(tx: Db, organizationId: string): Promise<void> {
  const running = await tx.bulkTask.count({
    where: { organizationId, state: 'running', action: { not: 'recover' } },
  })
  if (running < MAX_RUNNING) return
  throw new DomainError(
    'conflict',
    `${running} redeliveries and cancelations of the organization are running, and it can have ${MAX_RUNNING} at a time. Wait until one ends, or cancel one.`,
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

import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { BulkTaskAction, PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { cancelNow, redeliver } from '../deliveries/delivery.ts'
import type { DeliveryFilterInput } from '../deliveries/read-filters.ts'
import { DomainError, invalid, notFound } from '../lib/errors.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { effectiveRetention } from '../retention/effective-retention.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import {
  DEFAULT_RATE_PER_SECOND,
  type MissedEventsInput,
  parseFilter,
  parseIds,
  parseMissed,
} from './parse-task.ts'
import { countMissed } from './recovery-count.ts'
import { countNamed, countSelected, readTaskFilter } from './selected-deliveries.ts'
import type { Selection, SelectionCount } from './selection.ts'

export interface ChangeDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
  /** The retention of events, in ms. */
  readonly retentionMs: number
}

/** The deliveries that were changed at once, a started task, or the count of a dry run. */
export interface Change extends SelectionCount {
  /** A public id. Null without a task. */
  readonly taskId: string | null
  /** Those that were changed at once. */
  readonly deliveryUuids: readonly string[]
}

/** Which deliveries to change. A missing or null field has its default. */
export interface ChangeInput {
  /** Public ids. */
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveryFilterInput | null | undefined
  /** Only for a redelivery. */
  readonly missed?: MissedEventsInput | null | undefined
  readonly ratePerSecond?: number | null | undefined
  readonly dryRun?: boolean | null | undefined
}

/**
 * Redelivers or cancels the deliveries with some ids at once, or those of a filter, or those that a webhook missed, in the
 * background. A dry run only counts them. Throws `not_found` for an id of another organization, and `conflict` if no
 * delivery can be changed or too many tasks are running. `onlyWebhook` limits the change to the deliveries of one webhook.
 * Null: of all webhooks of the organization.
 */
export async function changeDeliveries(
  deps: ChangeDeps,
  organizationId: string,
  action: 'redeliver' | 'cancel',
  { ids, filter, missed, ratePerSecond, dryRun }: ChangeInput,
  onlyWebhook: string | null,
): Promise<Change> {
  const given = [ids, filter, missed].filter((one) => one != null)
  if (given.length !== 1) {
    const names = action === 'redeliver' ? 'ids, filter or missed' : 'ids or filter'
    const detail = `Give either ${names}, and only one of them.`
    throw invalid([{ path: ['ids'], code: 'ids_or_filter', detail }])
  }
  if (ids != null) {
    const uuids = parseIds(ids)
    await requireOwn(deps.sql, organizationId, onlyWebhook, uuids)
    if (dryRun) return { ...NO_CHANGE, ...(await countNamed(deps.sql, action, uuids)) }
    const changed = await (action === 'redeliver' ? redeliver : cancelNow)(deps, uuids)
    return { ...NO_CHANGE, count: changed.length, deliveryUuids: changed }
  }
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  const task = missed
    ? await recovery(deps, organizationId, missed, rate, dryRun === true)
    : await changeOfFilter(deps.sql, organizationId, action, filter, rate, onlyWebhook)
  const { counted } = task
  if (dryRun) return { ...NO_CHANGE, ...counted }
  return { ...NO_CHANGE, ...counted, taskId: await startTask(deps, organizationId, task) }
}

const NO_CHANGE: Change = { count: 0, exact: true, taskId: null, deliveryUuids: [] }

async function changeOfFilter(
  sql: Sql,
  organizationId: string,
  action: 'redeliver' | 'cancel',
  filter: DeliveryFilterInput | null | undefined,
  ratePerSecond: number,
  onlyWebhook: string | null,
): Promise<NewTask> {
  const read = readTaskFilter(filter)
  const webhookUuid = onlyWebhook ?? read.webhookUuid ?? null
  const parsed = parseFilter(action, read, ratePerSecond)
  const selection = { filter: { ...parsed.filter, webhookUuid } }
  const counted = await countSelected(sql, organizationId, selection)
  const audited = { filter, ...(webhookUuid && { webhookId: publicId('webhook', webhookUuid) }) }
  return { action, webhookUuid, selection, ratePerSecond, counted, audited }
}

/** Throws `conflict` if the webhook is disabled, except for a dry run. */
async function recovery(
  { prisma, sql, retentionMs }: ChangeDeps,
  organizationId: string,
  missed: MissedEventsInput,
  ratePerSecond: number,
  dryRun: boolean,
): Promise<NewTask> {
  const { webhookId } = missed
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const { retentionDays } = await findOrganization(prisma, organizationId, {
    select: { retentionDays: true },
  })
  const retention = effectiveRetention(retentionMs / DAY_MS, retentionDays)
  const selection = parseMissed(missed, ratePerSecond, retention)
  if (!dryRun && !webhook.enabled) {
    throw new DomainError(
      'conflict',
      `The webhook ${webhookId} is disabled. Enable it, then redeliver what it missed. (A dry run works for a disabled webhook too.)`,
    )
  }
  const counted = await countMissed(sql, webhook, selection)
  const audited = { webhookId, ...selection, ratePerSecond }
  const { id: webhookUuid } = webhook
  return { action: 'recover', webhookUuid, selection, ratePerSecond, counted, audited }
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
  { prisma, actor }: ChangeDeps,
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

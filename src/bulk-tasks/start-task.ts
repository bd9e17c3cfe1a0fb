import type { Actor } from '../auth/access/actor.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { notAnId, parseId, publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { DomainError, fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { startWork } from '../queue/long-work.ts'
import type { SelectionCount } from './selected-deliveries.ts'

export interface StartDeps {
  readonly sql: Sql
  readonly prisma: PrismaClient
  /** The actor, for the audit log. */
  readonly actor: Actor
}

export interface NewTask {
  /** Default: a new one. */
  readonly id?: string
  readonly action: keyof typeof TASKS | 'recover'
  readonly webhookUuid: string | null
  readonly selection: object
  /** The value of a search key, encrypted until the task ends. */
  readonly valueCiphertext?: Uint8Array<ArrayBuffer>
  /** Null for an erasure. */
  readonly ratePerSecond: number | null
  readonly counted: SelectionCount
  /** What the audit log shows of it. */
  readonly audited: object
}

/** A started task, the deliveries that were changed at once, or the count of a dry run. */
export interface Started extends SelectionCount {
  /** A public id. Null without a task. */
  readonly taskId: string | null
  /** Those that were changed at once. */
  readonly deliveryUuids?: readonly string[]
  /** Of an erasure: the deliveries that are not sent yet. */
  readonly unsent?: number
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
    const taskId = await startWork(tx, {
      ...{ ...task, organizationId, webhookId: webhookUuid },
      selection: JSON.parse(JSON.stringify(selection)),
      total: counted.count,
      totalIsExact: counted.exact,
    })
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

/**
 * The uuids of a list of public ids of the organization. Throws `invalid` with every broken rule, or `not_found`.
 * `onlyWebhook`: the deliveries must be to this one. Null: to any.
 */
export async function readOwnIds(
  sql: Sql,
  organizationId: string,
  onlyWebhook: string | null,
  kind: 'delivery' | 'event',
  ids: readonly string[],
  { field, max, remedy }: IdsRule,
): Promise<string[]> {
  if (ids.length === 0) throw invalid([fieldIssue([field], 'required', 'must not be empty.')])
  if (ids.length > max) {
    const rule = `must have at most ${max.toLocaleString('en')} entries, not ${ids.length.toLocaleString('en')}. ${remedy}`
    throw invalid([fieldIssue([field], 'too_many', rule)])
  }
  const parsed = ids.map((id) => parseId(kind, id))
  const issues = parsed.flatMap((uuid, i) => (uuid === null ? [notAnId(kind, [field, i])] : []))
  if (issues.length > 0) throw invalid(issues)
  const uuids = [...new Set(parsed.filter((uuid) => uuid !== null))]
  const [table, ofWebhook] =
    kind === 'event' ? ['events', 'true'] : ['deliveries', 'webhook_id = $3']
  const own = await selectIds(
    sql,
    `select id from posthorn.${table}
     where id = any ($1::uuid[]) and organization_id = $2 and ($3::uuid is null or ${ofWebhook})`,
    [uuids, organizationId, onlyWebhook],
  )
  const unknown = uuids.find((uuid) => !own.has(uuid))
  if (unknown) throw notFound(kind, publicId(kind, unknown))
  return uuids
}

interface IdsRule {
  readonly field: 'ids' | 'eventIds'
  readonly max: number
  /** What to do about too many. */
  readonly remedy: string
}

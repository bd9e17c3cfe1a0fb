import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { cancelNow, redeliver } from '../deliveries/delivery.ts'
import type { DeliveryFilterInput } from '../deliveries/read-filters.ts'
import { DomainError, invalid, notFound } from '../lib/errors.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import { effectiveRetention } from '../retention/effective-retention.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import {
  DEFAULT_RATE_PER_SECOND,
  MAX_IDS,
  type MissedEventsInput,
  parseFilter,
  parseIds,
  parseMissed,
} from './parse-task.ts'
import { countMissed } from './recovery-count.ts'
import { countNamed, countSelected, readTaskFilter } from './selected-deliveries.ts'
import type { SelectionCount } from './selection.ts'
import { type NewTask, type StartDeps, startTask } from './start-task.ts'

export interface ChangeDeps extends StartDeps {
  readonly sql: Sql
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
    const uuids = parseIds('delivery', 'ids', ids, {
      max: MAX_IDS,
      remedy: 'Use a filter for more.',
    })
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
  const webhookUuids = onlyWebhook
    ? (read.webhookUuids ?? [onlyWebhook]).filter((uuid) => uuid === onlyWebhook)
    : read.webhookUuids
  const webhookUuid = (webhookUuids?.length === 1 && webhookUuids[0]) || null
  const parsed = parseFilter(action, read, ratePerSecond)
  const selection = { filter: { ...parsed.filter, webhookUuids } }
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

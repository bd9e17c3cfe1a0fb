import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { cancelNow } from '../deliveries/cancel-deliveries.ts'
import { redeliver } from '../deliveries/delivery.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import type { DeliveryState } from '../deliveries/delivery-state.ts'
import type { DeliveryFilterInput } from '../deliveries/read-filters.ts'
import { DomainError, type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import { findWebhook } from '../webhooks/find-webhooks.ts'
import { countMissed, type Recovery } from './recover.ts'
import { countSelected, readTaskFilter } from './selected-deliveries.ts'
import { type NewTask, readOwnIds, type StartDeps, type Started, startTask } from './start-task.ts'

/** The events that a webhook missed. A missing or null field has its default. */
export interface MissedEventsInput {
  /** A public id. */
  readonly webhookId: string
  readonly since: Date
  readonly until?: Date | null | undefined
  readonly ignoreFilter?: boolean | null | undefined
}

/** A redelivery or cancelation at once takes at most this many deliveries. */
export const MAX_IDS = 100
export const MAX_RATE_PER_SECOND = 5_000
export const DEFAULT_RATE_PER_SECOND = 500

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
  deps: StartDeps,
  organizationId: string,
  action: 'redeliver' | 'cancel',
  { ids, filter, missed, ratePerSecond, dryRun }: ChangeInput,
  onlyWebhook: string | null,
): Promise<Started> {
  const given = [ids, filter, missed].filter((one) => one != null)
  if (given.length !== 1) {
    const names = action === 'redeliver' ? 'ids, filter or missed' : 'ids or filter'
    const detail = `Give either ${names}, and only one of them.`
    throw invalid([{ path: ['ids'], code: 'ids_or_filter', detail }])
  }
  if (ids != null) {
    const remedy = 'Use a filter for more.'
    const rule = { field: 'ids', max: MAX_IDS, remedy } as const
    const uuids = await readOwnIds(deps.sql, organizationId, onlyWebhook, 'delivery', ids, rule)
    if (dryRun) return { count: uuids.length, exact: true, taskId: null }
    const changed = await (action === 'redeliver' ? redeliver : cancelNow)(deps, uuids)
    return { count: changed.length, exact: true, taskId: null, deliveryUuids: changed }
  }
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  if (rate < 1 || rate > MAX_RATE_PER_SECOND) {
    const rule = `must be from 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}, not ${rate}.`
    throw invalid([fieldIssue(['ratePerSecond'], 'out_of_range', rule)])
  }
  const task = missed
    ? await recovery(deps, organizationId, missed, rate, dryRun === true)
    : await changeOfFilter(deps.sql, organizationId, action, filter, rate, onlyWebhook)
  return { ...task.counted, taskId: dryRun ? null : await startTask(deps, organizationId, task) }
}

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
  const parsed = parseFilter(action, read)
  const selection = { filter: { ...parsed, webhookUuids } }
  const counted = await countSelected(sql, organizationId, selection.filter)
  const audited = { filter, ...(webhookUuid && { webhookId: publicId('webhook', webhookUuid) }) }
  return { action, webhookUuid, selection, ratePerSecond, counted, audited }
}

/** Throws `conflict` if the webhook is disabled, except for a dry run. */
async function recovery(
  { prisma, sql }: StartDeps,
  organizationId: string,
  missed: MissedEventsInput,
  ratePerSecond: number,
  dryRun: boolean,
): Promise<NewTask> {
  const { webhookId } = missed
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const selection = parseMissed(missed)
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

/** The states that an action changes, and those that a filter without states selects. */
const STATES: Record<
  'redeliver' | 'cancel',
  { allowed: readonly DeliveryState[]; default: DeliveryState[] }
> = {
  redeliver: {
    allowed: ['retrying', 'succeeded', 'exhausted', 'canceled'],
    default: ['retrying', 'exhausted'],
  },
  cancel: {
    allowed: ['queued', 'retrying', 'waiting'],
    default: ['queued', 'retrying', 'waiting'],
  },
}

/** Fills in the default states. Throws `invalid` with every broken rule. */
function parseFilter(
  action: 'redeliver' | 'cancel',
  { states, ...filter }: DeliveryFilter,
): DeliveryFilter {
  const { allowed, default: standard } = STATES[action]
  const issues: FieldIssue[] = []
  if (states?.some((state) => !allowed.includes(state))) {
    const names = allowed.map((state) => state.toUpperCase()).join(', ')
    const detail = `filter.states must be among ${names}. ${action === 'redeliver' ? 'An attempt of the others follows without a redelivery.' : 'The others have finished.'}`
    issues.push({ path: ['filter', 'states'], code: 'wrong_state', detail })
  }
  if (states == null && Object.values(filter).every((value) => value == null)) {
    const detail =
      'filter must have at least one condition. Give states to select all deliveries in these states.'
    issues.push({ path: ['filter'], code: 'empty_filter', detail })
  }
  if (issues.length > 0) throw invalid(issues)
  return { ...filter, states: states ?? standard }
}

/** Fills in the defaults. Throws `invalid` for a range without a time. */
function parseMissed({ since, until, ignoreFilter }: MissedEventsInput): Recovery {
  const end = new Date(Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, Date.now()))
  if (since < end) return { since, until: end, ignoreFilter: ignoreFilter === true }
  const detail = `since must be before until and before now. since is ${since.toISOString()}, until is ${end.toISOString()}.`
  throw invalid([{ path: ['missed', 'since'], code: 'invalid_range', detail }])
}

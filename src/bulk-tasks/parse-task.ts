import { parseId } from '../db/ids.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import type { DeliveryState } from '../deliveries/delivery-state.ts'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import type { Retention } from '../retention/effective-retention.ts'
import type { Recovery } from './selection.ts'

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

/** The uuids of a list of public ids. Throws `invalid` with every broken rule. */
export function parseIds(
  kind: 'delivery' | 'event',
  field: 'ids' | 'eventIds',
  ids: readonly string[],
  { max, remedy }: { readonly max: number; readonly remedy: string },
): string[] {
  if (ids.length === 0) throw invalid([fieldIssue([field], 'required', 'must not be empty.')])
  if (ids.length > max) {
    const rule = `must have at most ${max.toLocaleString('en')} entries, not ${ids.length.toLocaleString('en')}. ${remedy}`
    throw invalid([fieldIssue([field], 'too_many', rule)])
  }
  const uuids = ids.map((id) => parseId(kind, id))
  const rule = `must be the id of ${kind === 'event' ? 'an event: evt_…' : 'a delivery: msg_…'}.`
  const issues = uuids.flatMap((uuid, i) =>
    uuid === null ? [fieldIssue([field, i], 'invalid_id', rule)] : [],
  )
  if (issues.length > 0) throw invalid(issues)
  return [...new Set(uuids.filter((uuid) => uuid !== null))]
}

/** Fills in the default states. Throws `invalid` with every broken rule. */
export function parseFilter(
  action: 'redeliver' | 'cancel',
  filter: DeliveryFilter,
  ratePerSecond: number,
): { readonly filter: DeliveryFilter } {
  const issues = [...filterIssues(action, filter), ...rateIssues(ratePerSecond)]
  if (issues.length > 0) throw invalid(issues)
  return { filter: { ...filter, states: filter.states ?? STATES[action].default } }
}

/** Fills in the defaults. Throws `invalid` with every broken rule. */
export function parseMissed(
  { since, until, ignoreFilter }: MissedEventsInput,
  ratePerSecond: number,
  retention: Retention,
  now = new Date(),
): Recovery {
  const end = new Date(Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime()))
  const issues = [...rangeIssues(since, end, retention, now), ...rateIssues(ratePerSecond)]
  if (issues.length > 0) throw invalid(issues)
  return { since, until: end, ignoreFilter: ignoreFilter === true }
}

function filterIssues(
  action: 'redeliver' | 'cancel',
  { states, ...filter }: DeliveryFilter,
): FieldIssue[] {
  const { allowed } = STATES[action]
  const others = states?.filter((state) => !allowed.includes(state)) ?? []
  const issues: FieldIssue[] = []
  if (others.length > 0) {
    const names = allowed.map((state) => state.toUpperCase()).join(', ')
    const detail = `filter.states must be among ${names}. ${action === 'redeliver' ? 'An attempt of the others follows without a redelivery.' : 'The others have finished.'}`
    issues.push({ path: ['filter', 'states'], code: 'wrong_state', detail })
  }
  if (states == null && Object.values(filter).every((value) => value == null)) {
    const detail =
      'filter must have at least one condition. Give states to select all deliveries in these states.'
    issues.push({ path: ['filter'], code: 'empty_filter', detail })
  }
  return issues
}

const DAY_MS = 86_400_000

function rangeIssues(since: Date, until: Date, retention: Retention, now: Date): FieldIssue[] {
  const oldest = now.getTime() - retention.days * DAY_MS
  // The retention of the installation drops whole days, so the events of the oldest day still exist.
  const isInstallation = retention.from === 'installation'
  const oldestKept = new Date(isInstallation ? Math.floor(oldest / DAY_MS) * DAY_MS : oldest)
  if (since < oldestKept) {
    const days = retention.days.toLocaleString('en', { maximumFractionDigits: 1 })
    const rule = isInstallation ? 'POSTHORN_RETENTION' : 'retentionDays of the organization'
    const detail = `since must be ${oldestKept.toISOString()} or later, not ${since.toISOString()}: events are kept for ${days} days (${rule}).`
    return [{ path: ['missed', 'since'], code: 'past_retention', detail }]
  }
  if (since < until) return []
  const detail = `since must be before until and before now. since is ${since.toISOString()}, until is ${until.toISOString()}.`
  return [{ path: ['missed', 'since'], code: 'invalid_range', detail }]
}

function rateIssues(rate: number): FieldIssue[] {
  if (rate >= 1 && rate <= MAX_RATE_PER_SECOND) return []
  const detail = `ratePerSecond must be from 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}, not ${rate}.`
  return [{ path: ['ratePerSecond'], code: 'out_of_range', detail }]
}

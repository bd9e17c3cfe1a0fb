import { parseId } from '../db/ids.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import type { DeliveryState } from '../deliveries/delivery-state.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import type { Retention } from '../retention/effective-retention.ts'
import type { Recovery, RecoveryInclude } from './selection.ts'

/** The input of a recovery. A missing or null field has its default. */
export interface RecoveryInput {
  readonly since: Date
  readonly until?: Date | null | undefined
  readonly include?: RecoveryInclude | null | undefined
  readonly ignoreFilter?: boolean | null | undefined
  readonly ratePerSecond?: number | null | undefined
}

export interface Parsed<Selection> {
  readonly selection: Selection
  readonly ratePerSecond: number
}

export const MAX_IDS = 1_000
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

/** Fills in the defaults. Throws `invalid` with every broken rule. */
export function parseDeliveries(
  action: 'redeliver' | 'cancel',
  ids: readonly string[] | null | undefined,
  filter: DeliveryFilter | null | undefined,
  ratePerSecond: number | null | undefined,
): Parsed<{ readonly ids: readonly string[] } | { readonly filter: DeliveryFilter }> {
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  const uuids = ids?.map((id) => parseId('delivery', id)) ?? []
  const issues = [
    ...((ids == null) === (filter == null)
      ? [{ path: ['ids'], code: 'ids_or_filter' as const, detail: 'Give either ids or filter.' }]
      : []),
    ...(ids ? idIssues(uuids) : []),
    ...(filter ? filterIssues(action, filter) : []),
    ...rateIssues(rate),
  ]
  if (issues.length > 0) throw invalid(issues)
  const selection = filter
    ? { filter: { ...filter, states: filter.states ?? STATES[action].default } }
    : { ids: [...new Set(uuids.filter((uuid) => uuid !== null))] }
  return { selection, ratePerSecond: rate }
}

/** Fills in the defaults. Throws `invalid` with every broken rule. */
export function parseRecovery(
  { since, until, include, ignoreFilter, ratePerSecond }: RecoveryInput,
  retention: Retention,
  now = new Date(),
): Parsed<Recovery> {
  const end = new Date(Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime()))
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  const issues = [...rangeIssues(since, end, retention, now), ...rateIssues(rate)]
  if (issues.length > 0) throw invalid(issues)
  return {
    selection: {
      since,
      until: end,
      include: include ?? 'all',
      ignoreFilter: ignoreFilter === true,
    },
    ratePerSecond: rate,
  }
}

function idIssues(uuids: readonly (string | null)[]): FieldIssue[] {
  if (uuids.length === 0) {
    return [{ path: ['ids'], code: 'required', detail: 'ids must not be empty.' }]
  }
  if (uuids.length > MAX_IDS) {
    const detail = `ids must have at most ${MAX_IDS.toLocaleString('en')} entries, not ${uuids.length.toLocaleString('en')}. Use a filter for more.`
    return [{ path: ['ids'], code: 'too_many', detail }]
  }
  return uuids.flatMap((uuid, i) => {
    const detail = `ids.${i} must be the id of a delivery: msg_….`
    return uuid === null ? [{ path: ['ids', i], code: 'invalid_id', detail }] : []
  })
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
    return [{ path: ['since'], code: 'past_retention', detail }]
  }
  if (since < until) return []
  const detail = `since must be before until and before now. since is ${since.toISOString()}, until is ${until.toISOString()}.`
  return [{ path: ['since'], code: 'invalid_range', detail }]
}

function rateIssues(rate: number): FieldIssue[] {
  if (rate >= 1 && rate <= MAX_RATE_PER_SECOND) return []
  const detail = `ratePerSecond must be from 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}, not ${rate}.`
  return [{ path: ['ratePerSecond'], code: 'out_of_range', detail }]
}

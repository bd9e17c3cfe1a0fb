import { boundConditions, indexPage, type PageBounds, pageOrder } from '../db/page.ts'
import type { AddValue } from '../db/parameters.ts'
import type { SearchKey } from '../event-types/search-key.ts'
import {
  type AttemptFilter,
  attemptPage,
  hasAttempt,
  type Scope,
  type StatusClass,
  type WebhookAndTime,
  webhookAndTimeConditions,
} from './attempts/attempt-filter.ts'
import { type DeliveryState, deliveryStateSql } from './delivery-state.ts'

/** Conditions on deliveries. A missing or null field matches every delivery. Times are those of creation. */
export interface DeliveryFilter extends WebhookAndTime {
  readonly states?: readonly DeliveryState[] | null | undefined
  /** The status classes of the last attempt. */
  readonly statusClasses?: readonly StatusClass[] | null | undefined
  /** One of these event types. */
  readonly eventTypes?: readonly string[] | null | undefined
  /** A value in the data of the event, among the newest `MAX_EVENTS_SEARCHED` events that have it. */
  readonly key?: SearchKey | null | undefined
  /** At least one attempt matches. */
  readonly anyAttempt?: AttemptFilter | null | undefined
}

/** A search by attempt reads at most this many attempts, and one by key this many events: the newest that match. */
export const MAX_ATTEMPTS_SEARCHED = 2_000
export const MAX_EVENTS_SEARCHED = 1_000

/**
 * One range of an index. No index has `state` and `last_status_class`, because they change with every attempt. The
 * indexes have generated columns instead; `indexed_state` is null for deliveries that have succeeded or are fresh.
 */
interface IndexRange {
  /** SQL: conditions on the deliveries `d`. Literals, so that Postgres can use partial indexes. */
  readonly conditions: readonly string[]
  /** Whether an index is for these conditions alone. */
  readonly hasIndex: boolean
}

/** The index ranges of a filter's states and status classes. The ranges do not overlap. */
function indexRanges(filter: DeliveryFilter): IndexRange[] {
  const states = filter.states ? [...new Set(filter.states)] : null
  const classes = filter.statusClasses ? [...new Set(filter.statusClasses)] : null
  if (classes === null) {
    return states ? states.flatMap(rangesOfState) : [{ conditions: [], hasIndex: false }]
  }
  const unfinished = states?.filter((state) => state !== 'succeeded')
  const ofStates = unfinished ? [`d.indexed_state in ('${unfinished.join("', '")}')`] : []
  const listed = classes.map((statusClass) => ({
    conditions: [`d.indexed_status_class = ${statusClass}`, ...ofStates],
    hasIndex: true,
  }))
  const hasSucceeded = classes.includes(2) && (states === null || states.includes('succeeded'))
  return [
    ...(unfinished?.length === 0 ? [] : listed),
    ...(hasSucceeded ? rangesOfState('succeeded') : []),
  ]
}

function rangesOfState(state: DeliveryState): IndexRange[] {
  if (state === 'succeeded') {
    return [{ conditions: ['d.indexed_state is null', `d.state = 'succeeded'`], hasIndex: false }]
  }
  const listed = { conditions: [`d.indexed_state = '${state}'`], hasIndex: true }
  if (state !== 'queued') return [listed]
  // Those that are too new for the index of states.
  const fresh = `d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`
  const conditions = ['d.indexed_state is null', `d.state = 'pending'`, fresh]
  return [listed, { conditions, hasIndex: true }]
}

/** SQL: all conditions on the columns of a delivery. */
export function columnConditions(row: string, filter: DeliveryFilter, add: AddValue): string[] {
  const { eventTypes, states, statusClasses } = filter
  return [
    ...webhookAndTimeConditions(row, filter, add),
    ...(eventTypes ? [`${row}.event_type = any (${add(eventTypes)}::text[])`] : []),
    ...(states ? [`${deliveryStateSql(row)} = any (${add(states)}::text[])`] : []),
    ...(statusClasses
      ? [`${row}.last_status_class = any (${add(statusClasses)}::smallint[])`]
      : []),
  ]
}

/**
 * SQL: the ids of a page of deliveries, or `null` if none can match. With `newestOfEvent`, a page has one delivery of each
 * event: the newest that matches.
 */
export function deliveryPage(
  filter: DeliveryFilter,
  scope: Scope,
  bounds: PageBounds,
  add: AddValue,
  newestOfEvent = false,
): string | null {
  const { anyAttempt, key } = filter
  const { organization } = scope
  const ofRow: string[] = newestOfEvent ? [isNewestOfEvent(filter, organization, add)] : []
  const ofEvent = scope.owner === 'event_id'
  // An event has few deliveries.
  if (anyAttempt && (ofEvent || key)) ofRow.push(hasAttempt('d', anyAttempt, add))
  if (key && ofEvent) ofRow.push(`d.event_id = any (array(${eventsOfKey(key, organization, add)}))`)
  if (ofEvent || (!key && !anyAttempt)) return pageOfIndexes(filter, ofRow, scope, bounds, add)
  const found = key
    ? deliveriesOfKey(key, organization, add)
    : `select distinct delivery_id as id from (${attemptsOf(filter, anyAttempt, scope, add)}) as attempt`
  return pageOfFound(found, filter, ofRow, scope, bounds, add)
}

/** SQL: each index range is read in the order of the page, for one webhook and event type after the other. */
function pageOfIndexes(
  { webhookUuids, eventTypes, ...filter }: DeliveryFilter,
  ofRow: readonly string[],
  { organization, owner }: Scope,
  bounds: PageBounds,
  add: AddValue,
): string | null {
  const ranges = indexRanges(filter)
  if (ranges.length === 0) return null
  const sources: string[] = []
  const keys: [column: string, value: string][] = [['organization_id', organization]]
  const where = [
    `d.organization_id = ${organization}`,
    ...webhookAndTimeConditions('d', filter, add),
    ...boundConditions('d.id', bounds.bound, add),
    ...ofRow,
  ]
  if (owner) keys[0] = [owner, 'owner.id']
  if (webhookUuids && owner) where.push(`d.webhook_id = any (${add(webhookUuids)}::uuid[])`)
  else if (webhookUuids) {
    sources.push(`unnest(${add(webhookUuids)}::uuid[]) as owner (id)`)
    keys[0] = ['webhook_id', 'owner.id']
  }
  if (eventTypes) {
    sources.push(`unnest(${add([...new Set(eventTypes)])}::text[]) as kind (name)`)
    keys.push(['event_type', 'kind.name'])
  }
  const order = pageOrder(bounds, add)
  const selects = ranges.map(({ conditions, hasIndex }) => {
    const all = [...where, ...conditions]
    const page =
      hasIndex || owner === 'event_id'
        ? { conditions: keys.map(([column, value]) => `d.${column} = ${value}`), order }
        : indexPage('d', keys, filter, bounds, add)
    const matches = [...page.conditions, ...all].join(' and ')
    return `(select d.id from posthorn.deliveries as d where ${matches} ${page.order})`
  })
  const page = `lateral (${selects.join(' union all ')}) as page`
  return `select page.id from ${[...sources, page].join(' cross join ')} ${order}`
}

/** SQL: a page of the deliveries with the ids `found`. They are looked up in the order of the page. */
function pageOfFound(
  found: string,
  filter: DeliveryFilter,
  ofRow: readonly string[],
  { organization, owner }: Scope,
  { take, bound }: PageBounds,
  add: AddValue,
): string {
  const where = [
    'd.id = found.id',
    `d.organization_id = ${organization}`,
    ...(owner ? [`d.${owner} = owner.id`] : []),
    ...columnConditions('d', filter, add),
    ...ofRow,
  ]
  const within = boundConditions('id', bound, add).join() || 'true'
  return `
    select found.id from (
      select id from (${found}) as found where ${within} order by id ${take > 0 ? 'desc' : 'asc'}
    ) as found cross join lateral (
      select from posthorn.deliveries as d where ${where.join(' and ')} offset 0
    ) as matching
    ${pageOrder({ take }, add)}`
}

/** SQL: the newest attempts that match. An attempt is for the webhook of its delivery. */
function attemptsOf(
  { webhookUuids }: DeliveryFilter,
  attempts: AttemptFilter | null | undefined,
  scope: Scope,
  add: AddValue,
): string {
  const filter = { ...attempts, webhookUuids: attempts?.webhookUuids ?? webhookUuids }
  const bounds = { take: MAX_ATTEMPTS_SEARCHED, bound: undefined }
  return attemptPage(filter, scope, bounds, add, 'delivery_id')
}

function eventsOfKey({ path, equals }: SearchKey, organization: string, add: AddValue): string {
  return `
    select k.event_id from posthorn.event_keys as k
    where k.organization_id = ${organization} and k.path = ${add(path)} and k.value = ${add(equals)}
    order by k.event_id desc limit ${MAX_EVENTS_SEARCHED}`
}

/** SQL: the array is read once for all owners. A delivery is as new as its event, or newer, which leaves out older partitions. */
function deliveriesOfKey(key: SearchKey, organization: string, add: AddValue): string {
  return `
    select d.id from unnest(array(${eventsOfKey(key, organization, add)})) as k (event_id) cross join lateral (
      select d.id from posthorn.deliveries as d where d.event_id = k.event_id and d.id >= k.event_id offset 0
    ) as d`
}

/** SQL: whether no newer delivery of the event matches. */
function isNewestOfEvent(filter: DeliveryFilter, organization: string, add: AddValue): string {
  const where = [
    'n.event_id = d.event_id',
    'n.id > d.id',
    `n.organization_id = ${organization}`,
    ...columnConditions('n', filter, add),
    ...(filter.anyAttempt ? [hasAttempt('n', filter.anyAttempt, add)] : []),
  ]
  return `not exists (select from posthorn.deliveries as n where ${where.join(' and ')} offset 0)`
}

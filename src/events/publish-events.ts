import type { Quota } from '../auth/access/rate-limit.ts'
import { type Caller, requireScope } from '../auth/access/scope.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { type Catalogue, type KnownTypes, OPERATIONAL_PREFIX } from '../event-types/event-type.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import { isTurnOver, nextTurn } from '../lib/take-turns.ts'
import { currentTraceContext } from '../telemetry/request-log.ts'
import type { OpenSpan, Tracing } from '../telemetry/tracing.ts'
import { toSpanContext } from '../telemetry/tracing.ts'
import { type CheckedEvent, checkEvent, type NewEvent } from './check-event.ts'
import {
  createStoreEvents,
  type EventRow,
  type EventsToStore,
  isApiKeyOutdated,
  isOutdated,
  type OnQueued,
  type StoredEvent,
} from './store-events.ts'

/** Tries to check and store the events of a call while the catalogue keeps changing. */
const MAX_TRIES = 5

/** Events that one call can publish. */
export const MAX_EVENTS_PER_CALL = 1_000

export interface PublishedEvent {
  /** `evt_…` */
  readonly id: string
  /** One delivery for each enabled webhook that subscribes to the event type. */
  readonly deliveryCount: number
  /** Whether this is the event of an earlier call with the same idempotency key. */
  readonly duplicate: boolean
}

/**
 * Publishes all the events, or none and throws `invalid` if any event has an issue. With an `apiKey`, it throws what
 * `isApiKeyOutdated` recognizes if the key is no longer as it was read.
 */
export type PublishEvents = (
  organizationId: string,
  events: readonly NewEvent[],
  apiKey?: EventsToStore['apiKey'],
) => Promise<PublishedEvent[]>

/**
 * Publishes for a caller, within the limits of the key. How many deliveries the events have is known only afterwards. If a
 * caller from memory cannot publish, it is read again, because the key may have changed.
 */
export async function publishFor(
  { caller, quota, publishEvents, readCaller }: Publisher,
  events: readonly NewEvent[],
): Promise<PublishedEvent[]> {
  try {
    requireScope(caller, 'events:publish')
    quota.spend(caller, 'deliveries', 0)
    // A call with too many events publishes none and counts as one.
    quota.spend(caller, 'events', events.length > MAX_EVENTS_PER_CALL ? 1 : events.length)
    const apiKey = readCaller ? caller : null
    const published = await publishEvents(caller.organizationId, events, apiKey)
    let deliveries = 0
    for (const { deliveryCount } of published) deliveries += deliveryCount
    quota.charge(caller, 'deliveries', deliveries)
    return published
  } catch (error) {
    const read = await readCaller?.()
    const isOutdated = isApiKeyOutdated(error)
    if (!read || (!isOutdated && read.keyVersion === caller.keyVersion)) throw error
    if (isOutdated) quota.charge(caller, 'events', -events.length)
    return await publishFor({ caller: read, quota, publishEvents }, events)
  }
}

export interface Publisher {
  readonly caller: Caller
  readonly quota: Quota
  readonly publishEvents: PublishEvents
  /** Reads the caller from the database. Given for a caller from memory. */
  readonly readCaller?: () => Promise<Caller>
}

/** The only event of a call. The paths of issues begin at the event. */
export const onlyEvent = (published: Promise<readonly PublishedEvent[]>) =>
  withShorterPaths(published, 2).then((events) => events[0] as PublishedEvent)

/** The paths of issues begin after the first parts, which the request does not have. */
export function withShorterPaths<Result>(published: Promise<Result>, parts: number) {
  return published.catch((error): never => {
    if (!(error instanceof DomainError)) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.slice(parts) }))
    if (error.code === 'invalid') throw invalid(issues)
    throw new DomainError(error.code, error.message, { issues, cause: error })
  })
}

interface PublishOptions {
  /** Counts events that are accepted although the check with their schema did not come to its end. */
  readonly countUndecided?: (events: number) => void
  readonly tracing?: Tracing
  readonly onQueued?: OnQueued | undefined
}

export function createPublishEvents(
  sql: Sql,
  catalogue: Catalogue,
  { countUndecided, tracing, onQueued }: PublishOptions = {},
): PublishEvents {
  const store = createStoreEvents(sql, onQueued)

  /** If the cached catalogue is outdated, the events are checked again before any is stored or rejected. */
  async function checkAndStore(...[organizationId, events, apiKey]: Parameters<PublishEvents>) {
    checkCount(events.length)
    const names = events.map(({ type }) => type)
    const found = catalogue.find(names)
    let types = found instanceof Promise ? await found : found
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const rows: EventRow[] = []
      const issues: FieldIssue[] = []
      const undecided: string[] = []
      let turnBegan = performance.now()
      for (const event of events) {
        const check = undecided.includes(event.type) ? UNDECIDED : types.get(event.type)?.checker()
        const checked = checkEvent(event, check instanceof Promise ? await check : check)
        if (checked.isUndecided) undecided.push(event.type)
        if (event.type.startsWith(OPERATIONAL_PREFIX)) issues.push(reservedIssue(rows.length))
        for (const issue of checked.issues) {
          issues.push({ ...issue, path: ['events', rows.length, ...issue.path] })
        }
        rows.push(toRow(organizationId, event, checked, types.get(event.type)?.revision))
        if (isTurnOver(turnBegan)) turnBegan = await nextTurn()
      }
      if (issues.length === 0 && names.every((name) => types.has(name))) {
        try {
          const stored = await store({ rows, apiKey: apiKey ?? null })
          if (undecided.length > 0) countUndecided?.(undecided.length)
          return stored.map(toPublished)
        } catch (error) {
          if (!isOutdated(error)) throw error
        }
      } else if (tries > 1) {
        throw invalid([...issues, ...(await unknownTypes(events, types, catalogue))])
      }
      types = await catalogue.refresh(names)
    }
    throw changesTooOften()
  }

  /** Publishes with a span for each event, whose context the event then has. */
  async function publishTraced(traces: Tracing, ...call: Parameters<PublishEvents>) {
    const [organizationId, events, apiKey] = call
    checkCount(events.length)
    const spans = events.map((event) => startSpan(traces, event))
    try {
      const traced = events.map((event, i) => ({ ...event, ...spans[i]?.context }))
      const published = await checkAndStore(organizationId, traced, apiKey)
      published.forEach(({ id, deliveryCount }, i) => {
        spans[i]?.end({ 'messaging.message.id': id, 'posthorn.deliveries': deliveryCount }, null)
      })
      return published
    } catch (error) {
      const errorType = error instanceof DomainError ? error.code : 'internal'
      for (const span of spans) span?.end({}, errorType)
      throw error
    }
  }

  return (...call) => (tracing?.isOn ? publishTraced(tracing, ...call) : checkAndStore(...call))
}

const toPublished = ({ uuid, deliveryCount, duplicate }: StoredEvent): PublishedEvent => {
  return { id: publicId('event', uuid), deliveryCount, duplicate }
}

function checkCount(count: number): void {
  if (count >= 1 && count <= MAX_EVENTS_PER_CALL) return
  const code = count === 0 ? 'required' : 'too_many'
  const rule = `must have 1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} entries, not ${count}.`
  throw invalid([fieldIssue(['events'], code, rule)])
}

function changesTooOften(): DomainError {
  return new DomainError(
    'unavailable',
    'The event types kept changing while the events were checked. Nothing was published. Try again.',
  )
}

/** A check that did not end is not tried on more events of the call. */
const UNDECIDED = () => null

function toRow(
  organizationId: string,
  event: NewEvent,
  { data, previous }: CheckedEvent,
  typeRevision = '0',
): EventRow {
  return {
    organizationId,
    type: event.type,
    typeRevision,
    data: data?.text ?? '',
    previous: previous?.text ?? null,
    occurredAt: event.occurredAt ?? new Date(),
    idempotencyKey: event.idempotencyKey ?? null,
    traceParent: event.traceParent ?? null,
    traceState: event.traceState ?? null,
  }
}

function reservedIssue(index: number): FieldIssue {
  const detail = `Posthorn itself publishes the events whose types begin with ${OPERATIONAL_PREFIX} Choose another type.`
  return { path: ['events', index, 'type'], code: 'reserved_event_type', detail }
}

async function unknownTypes(
  events: readonly NewEvent[],
  known: KnownTypes,
  catalogue: Catalogue,
): Promise<FieldIssue[]> {
  if (events.every(({ type }) => known.has(type))) return []
  const names = await catalogue.names()
  const hint = fewHints(names, ` The event types are ${names.join(', ')}.`)
  return events.flatMap(({ type }, index) => {
    if (known.has(type)) return []
    return [
      {
        path: ['events', index, 'type'],
        code: 'unknown_event_type',
        detail: `There is no event type ${JSON.stringify(type.slice(0, 128))}.${hint(type)}`,
      },
    ]
  })
}

/** The parent is what the event names, or else the request. Null without tracing. */
function startSpan(tracing: Tracing, event: NewEvent): OpenSpan | null {
  const request = currentTraceContext()
  const own = event.traceParent ?? null
  const parent =
    own === null
      ? toSpanContext(request?.traceParent, request?.traceState)
      : toSpanContext(own, event.traceState)
  // Rejected when the event is checked.
  if (own !== null && parent === null) return null
  const type = event.type.slice(0, 128)
  return tracing.start(`publish ${type}`, {
    kind: 'producer',
    parent,
    attributes: () => ({
      'messaging.system': 'posthorn',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': type,
    }),
  })
}

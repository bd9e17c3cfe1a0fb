import type { Quota } from '../auth/access/rate-limit.ts'
import { type Caller, requireScope } from '../auth/access/scope.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { type Catalogue, type KnownTypes, OPERATIONAL_PREFIX } from '../event-types/event-type.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import type { CheckData } from '../lib/json-schema.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { currentTraceContext } from '../telemetry/request-log.ts'
import type { OpenSpan, Tracing } from '../telemetry/tracing.ts'
import { toSpanContext } from '../telemetry/tracing.ts'
import { checkEvent, type NewEvent } from './check-event.ts'
import { createStoreEvents, type EventRow, isOutdated, type OnQueued } from './store-events.ts'

/** Tries to check and store the events of a call while the catalogue keeps changing. */
const MAX_TRIES = 5

/** Events that one call can publish. */
export const MAX_EVENTS_PER_CALL = 1_000

export interface PublishedEvent {
  readonly id: string
  /** One delivery for each enabled webhook that subscribes to the event type. */
  readonly deliveryCount: number
  /** Whether this is the event of an earlier call with the same idempotency key. */
  readonly duplicate: boolean
}

/** Publishes all the events, or none and throws `invalid` if any event has an issue. */
export type PublishEvents = (
  organizationId: string,
  events: readonly NewEvent[],
) => Promise<PublishedEvent[]>

/** Publishes for a caller, within the limits of the key. How many deliveries the events have is known only afterwards. */
export async function publishFor(
  { caller, quota, publishEvents }: Publisher,
  events: readonly NewEvent[],
): Promise<PublishedEvent[]> {
  requireScope(caller, 'events:publish')
  quota.spend(caller, 'deliveries', 0)
  // A call with too many events publishes none and counts as one.
  quota.spend(caller, 'events', events.length > MAX_EVENTS_PER_CALL ? 1 : events.length)
  const published = await publishEvents(caller.organizationId, events)
  const deliveries = published.reduce((sum, { deliveryCount }) => sum + deliveryCount, 0)
  quota.charge(caller, 'deliveries', deliveries)
  return published
}

interface Publisher {
  readonly caller: Caller
  readonly quota: Quota
  readonly publishEvents: PublishEvents
}

/** The only event of a call. The paths of issues begin at the event. */
export async function onlyEvent(
  published: Promise<readonly PublishedEvent[]>,
): Promise<PublishedEvent> {
  try {
    const [event] = await published
    return event as PublishedEvent
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
    if (error.code === 'invalid') throw invalid(issues)
    throw new DomainError(error.code, error.message, { issues, cause: error })
  }
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
  async function checkAndStore(organizationId: string, events: readonly NewEvent[]) {
    const names = [...new Set(events.map(({ type }) => type))]
    let types = await catalogue.find(names)
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { rows, issues, undecided } = await checkEvents(types, organizationId, events)
      if (issues.length === 0 && types.size === names.length) {
        const stored = await store(rows).catch(nullIfOutdated)
        if (stored && undecided > 0) countUndecided?.(undecided)
        if (stored) return stored
      } else if (tries > 1) {
        throw invalid([...issues, ...(await unknownTypes(events, types, catalogue))])
      }
      types = await catalogue.refresh(names)
    }
    throw changesTooOften()
  }

  /** Publishes with a span for each event, whose context the event then has. */
  return async (organizationId, events) => {
    checkCount(events.length)
    const spans = tracing?.isOn ? events.map((event) => startSpan(tracing, event)) : []
    try {
      const traced = events.map((event, i) => ({ ...event, ...spans[i]?.context }))
      const stored = await checkAndStore(organizationId, traced)
      return stored.map(({ uuid, deliveryCount, duplicate }, i) => {
        const id = publicId('event', uuid)
        spans[i]?.end({ 'messaging.message.id': id, 'posthorn.deliveries': deliveryCount }, null)
        return { id, deliveryCount, duplicate }
      })
    } catch (error) {
      const errorType = error instanceof DomainError ? error.code : 'internal'
      for (const span of spans) span?.end({}, errorType)
      throw error
    }
  }
}

function checkCount(count: number): void {
  if (count >= 1 && count <= MAX_EVENTS_PER_CALL) return
  const code = count === 0 ? 'required' : 'too_many'
  const rule = `must have 1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} entries, not ${count}.`
  throw invalid([fieldIssue(['events'], code, rule)])
}

function nullIfOutdated(error: unknown): null {
  if (isOutdated(error)) return null
  throw error
}

function changesTooOften(): DomainError {
  return new DomainError(
    'unavailable',
    'The event types kept changing while the events were checked. Nothing was published. Try again.',
  )
}

/** With any issue, the rows must not be stored. `undecided`: the events that are accepted without an answer of their schema. */
async function checkEvents(types: KnownTypes, organizationId: string, events: readonly NewEvent[]) {
  const checks = new Map<string, CheckData>()
  for (const [name, type] of types) checks.set(name, await type.checker())
  const issues: FieldIssue[] = []
  let undecided = 0
  const rows = await takeTurns([...events.entries()], ([index, event]): EventRow => {
    const { type } = event
    const checked = checkEvent(event, checks.get(type))
    if (checked.isUndecided) {
      undecided++
      // A check that did not end is not tried on more events of the call.
      checks.set(type, () => null)
    }
    for (const issue of [...reservedIssues(event), ...checked.issues]) {
      issues.push({ ...issue, path: ['events', index, ...issue.path] })
    }
    return {
      ...{ organizationId, type, typeRevision: types.get(type)?.revision ?? '0' },
      data: checked.data?.text ?? '',
      previous: checked.previous?.text ?? null,
      occurredAt: event.occurredAt ?? new Date(),
      idempotencyKey: event.idempotencyKey ?? null,
      traceParent: event.traceParent ?? null,
      traceState: event.traceState ?? null,
    }
  })
  return { rows, issues, undecided }
}

function reservedIssues({ type }: NewEvent): FieldIssue[] {
  if (!type.startsWith(OPERATIONAL_PREFIX)) return []
  const detail = `Posthorn itself publishes the events whose types begin with ${OPERATIONAL_PREFIX} Choose another type.`
  return [{ path: ['type'], code: 'reserved_event_type', detail }]
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

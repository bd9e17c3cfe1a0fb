import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { fewHints } from '../did-you-mean.ts'
import { type FieldIssue, invalid } from '../errors.ts'
import { publicId } from '../ids.ts'
import { checkAgainstSchema, checkEvent } from './check-event.ts'
import type { Catalogue } from './event-type.ts'
import type { NewEvent } from './new-event.ts'
import { createStoreEvents, type EventRow } from './store-events.ts'

/** How long the events of a call are checked before something else has its turn. */
const TURN_MS = 10

/** How long the events of one call may be checked in all: only schemas that were written badly take as long. */
const CHECK_WITHIN_MS = 1_000

/** The events of one call. */
export const MAX_EVENTS_PER_CALL = 1_000

export interface PublishedEvent {
  readonly id: string
  /** How many deliveries it made, one for each enabled webhook that subscribes to its type. */
  readonly deliveryCount: number
  /** Whether the idempotency key was used before, so that this is the event of its first use. */
  readonly duplicate: boolean
}

/** Publishes all the events or, when anything is wrong with one of them, none. */
export type PublishEvents = (
  organizationId: string,
  events: readonly NewEvent[],
) => Promise<PublishedEvent[]>

/** The one way in for events that come through Node. */
export function createPublishEvents(sql: Sql, catalogue: Catalogue): PublishEvents {
  const store = createStoreEvents(sql)

  return async (organizationId, events) => {
    checkCount(events.length)
    const stored = await store(await toRows(catalogue, organizationId, events))
    return stored.map(({ uuid, deliveryCount, repeated }) => ({
      id: publicId('event', uuid),
      deliveryCount,
      duplicate: repeated,
    }))
  }
}

function checkCount(count: number): void {
  if (count >= 1 && count <= MAX_EVENTS_PER_CALL) return
  throw invalid([
    {
      path: ['events'],
      code: count === 0 ? 'required' : 'too_many',
      detail: `events must have 1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} entries, not ${count}.`,
    },
  ])
}

async function toRows(
  catalogue: Catalogue,
  organizationId: string,
  events: readonly NewEvent[],
): Promise<EventRow[]> {
  const checks = await catalogue.find([...new Set(events.map(({ type }) => type))])
  const issues: FieldIssue[] = []
  const rows: EventRow[] = []
  const begun = performance.now()
  let turn = begun
  for (const [index, event] of events.entries()) {
    const now = performance.now()
    if (now - begun > CHECK_WITHIN_MS) throw invalid([...issues, tooSlow(index)])
    if (now - turn > TURN_MS) {
      // Not an immediate, the first of which comes before whatever else waits.
      await setTimeout(0)
      turn = performance.now()
    }
    const data = JSON.stringify(event.data)
    const check = checks.get(event.type)
    const wrong = checkEvent(event, data)
    if (check) wrong.push(...checkAgainstSchema(event, check))
    for (const issue of wrong) issues.push({ ...issue, path: ['events', index, ...issue.path] })
    rows.push({
      organizationId,
      type: event.type,
      data,
      occurredAt: event.occurredAt ?? new Date(),
      idempotencyKey: event.idempotencyKey ?? null,
      traceParent: event.traceParent ?? null,
    })
  }
  if (events.some(({ type }) => !checks.has(type))) {
    issues.push(...unknownTypes(events, checks, await catalogue.names()))
  }
  if (issues.length > 0) throw invalid(issues)
  return rows
}

function tooSlow(index: number): FieldIssue {
  const detail = `The events from number ${index + 1} on were not checked, as the schemas took too long for those before. Publish fewer at once, or simplify the schema.`
  return { path: ['events', index, 'data'], code: 'check_too_slow', detail }
}

function unknownTypes(
  events: readonly NewEvent[],
  known: { has(type: string): boolean },
  names: readonly string[],
): FieldIssue[] {
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

import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import type { Catalogue, KnownTypes } from '../event-types/event-type.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, invalid } from '../lib/errors.ts'
import { checkAgainstSchema, checkEvent } from './check-event.ts'
import type { NewEvent } from './new-event.ts'
import { createStoreEvents, type EventRow, isOutdated } from './store-events.ts'

/** How long the events of a call are checked before the event loop goes on. */
const CHECK_SLICE_MS = 10

/** How long the events of one call may be checked in all: only schemas that were written badly take as long. */
const CHECK_WITHIN_MS = 1_000

/** How often the catalogue may change while the events of a call are checked and stored. */
const MAX_TRIES = 5

/** The events of one call. */
export const MAX_EVENTS_PER_CALL = 1_000

export interface PublishedEvent {
  readonly id: string
  /** How many deliveries it has, one for each enabled webhook that subscribes to its type. */
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

  /** The catalogue may have changed since it was read: then events are checked again before any is stored or rejected. */
  async function publish(organizationId: string, events: readonly NewEvent[]) {
    const names = [...new Set(events.map(({ type }) => type))]
    let types = await catalogue.find(names)
    for (let tries = 1; ; tries++) {
      const { rows, issues } = await toRows(types, organizationId, events)
      const isValid = issues.length === 0 && types.size === names.length
      const stored = isValid ? await store(rows).catch(nullIfOutdated) : null
      if (stored) return stored
      const before = types
      types = await catalogue.refresh(names)
      if (!isValid && areSame(before, types)) {
        throw invalid([...issues, ...(await unknownTypes(events, types, catalogue))])
      }
      if (tries === MAX_TRIES) throw changesTooOften()
    }
  }

  return async (organizationId, events) => {
    checkCount(events.length)
    const stored = await publish(organizationId, events)
    return stored.map(({ uuid, deliveryCount, duplicate }) => ({
      id: publicId('event', uuid),
      deliveryCount,
      duplicate,
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

function nullIfOutdated(error: unknown): null {
  if (isOutdated(error)) return null
  throw error
}

function changesTooOften(): DomainError {
  return new DomainError(
    'unavailable',
    'The event types changed again and again while the events were checked. Nothing was published; try again.',
  )
}

function areSame(before: KnownTypes, after: KnownTypes): boolean {
  const unchanged = [...after].filter(
    ([name, { revision }]) => before.get(name)?.revision === revision,
  )
  return unchanged.length === before.size && after.size === before.size
}

interface Checked {
  readonly rows: readonly EventRow[]
  /** What is wrong with the events. Then the rows are not to be stored. */
  readonly issues: readonly FieldIssue[]
}

async function toRows(
  types: KnownTypes,
  organizationId: string,
  events: readonly NewEvent[],
): Promise<Checked> {
  const issues: FieldIssue[] = []
  const rows: EventRow[] = []
  const begun = performance.now()
  let sliceBegun = begun
  for (const [index, event] of events.entries()) {
    const now = performance.now()
    if (now - begun > CHECK_WITHIN_MS) {
      issues.push(tooSlow(index))
      break
    }
    if (now - sliceBegun > CHECK_SLICE_MS) {
      // Not an immediate, the first of which comes before all else that waits.
      await setTimeout(0)
      sliceBegun = performance.now()
    }
    const data = JSON.stringify(event.data)
    const type = types.get(event.type)
    const wrong = checkEvent(event, data)
    if (type) wrong.push(...checkAgainstSchema(event, type.check))
    for (const issue of wrong) issues.push({ ...issue, path: ['events', index, ...issue.path] })
    rows.push({
      organizationId,
      type: event.type,
      typeRevision: type?.revision ?? '0',
      data,
      occurredAt: event.occurredAt ?? new Date(),
      idempotencyKey: event.idempotencyKey ?? null,
      traceParent: event.traceParent ?? null,
    })
  }
  return { rows, issues }
}

function tooSlow(index: number): FieldIssue {
  const detail = `The events from number ${index + 1} on were not checked, as the schemas took too long for those before. Publish fewer at once, or simplify the schema.`
  return { path: ['events', index, 'data'], code: 'check_too_slow', detail }
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

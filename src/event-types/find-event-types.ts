import type { Db } from '../db/client.ts'
import type { EventType, Prisma } from '../db/generated/prisma/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { invalid } from '../lib/errors.ts'
import { OPERATIONAL_PREFIX } from './event-type.ts'

type Selection = Pick<Prisma.EventTypeFindManyArgs, 'select'>

/** The event types that can be published and subscribed to, ordered by name, with archived ones on request. */
export async function findEventTypes(
  db: Db,
  { includeArchived }: { readonly includeArchived: boolean },
  selection: Selection,
): Promise<EventType[]> {
  const { select } = selection
  const eventTypes = await db.eventType.findMany({
    ...(select && { select: { ...select, name: true } }),
    where: includeArchived ? {} : { archivedAt: null },
  })
  return eventTypes.toSorted(byName)
}

/** The names of the event types that can be published and subscribed to, in their order. */
export async function readNames(db: Db): Promise<string[]> {
  const types = await findEventTypes(db, { includeArchived: false }, { select: { name: true } })
  return types.map(({ name }) => name)
}

/** By code points, so that the order does not depend on the collation of the database. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** The event types with these names, by name. An operator archives event types, and never deletes them. */
export async function findEventTypesByNames(
  db: Db,
  names: readonly string[],
  selection: Selection,
): Promise<Map<string, EventType>> {
  const rows = await db.eventType.findMany({ ...selection, where: { name: { in: [...names] } } })
  return new Map(rows.map((row) => [row.name, row]))
}

/** `*`, or the beginning of names and `.*`. */
export function isPattern(subscription: string): boolean {
  return subscription === '*' || subscription.endsWith('.*')
}

/**
 * The subscriptions that include an event type: its name, `*`, and a pattern for each of its beginnings. Patterns never
 * include the operational events. `posthorn.subscriptions_to` has the same rule.
 */
export function subscriptionsTo(eventType: string): string[] {
  if (eventType.startsWith(OPERATIONAL_PREFIX)) return [eventType]
  const words = eventType.split('.')
  const beginnings = words.slice(1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`)
  return [eventType, '*', ...beginnings]
}

export function subscribesTo(subscriptions: readonly string[], eventType: string): boolean {
  return subscriptionsTo(eventType).some((one) => subscriptions.includes(one))
}

/** The names of the event types that subscriptions mean today: those named, then those of the catalogue that patterns include. */
export function expandSubscriptions(
  subscriptions: readonly string[],
  catalogue: readonly string[],
): string[] {
  const named = subscriptions.filter((one) => !isPattern(one))
  const included = catalogue.filter((name) => subscribesTo(subscriptions, name))
  return [...new Set([...named, ...included])]
}

/** The example `data` of an event type. Throws `invalid` if the type is unknown, archived or without an example. */
export async function findExample(db: Db, eventType: string): Promise<unknown> {
  const [type] = await db.eventType.findMany({
    where: { name: eventType, archivedAt: null },
    select: { example: true },
  })
  if (type && type.example !== null) return type.example
  const path = ['eventType']
  if (type) {
    const detail = `The event type ${eventType} has no example to send. Choose another event type, or ask an operator to add an example.`
    throw invalid([{ path, code: 'no_example', detail }])
  }
  const names = await readNames(db)
  const hint = didYouMean(eventType, names) || ` The event types are ${names.join(', ')}.`
  const detail = `There is no event type ${JSON.stringify(eventType.slice(0, 128))}.${hint}`
  throw invalid([{ path, code: 'unknown_event_type', detail }])
}

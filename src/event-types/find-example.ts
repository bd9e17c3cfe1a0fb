import type { Db } from '../db/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type DomainError, invalid } from '../lib/errors.ts'

/** The example `data` of an event type. Throws `invalid` if the type is unknown, archived or without an example. */
export async function findExample(db: Db, eventType: string): Promise<unknown> {
  const types = await db.eventType.findMany({
    where: { archivedAt: null },
    select: { name: true },
    orderBy: { name: 'asc' },
  })
  const names = types.map(({ name }) => name)
  if (!names.includes(eventType)) throw unknownEventType(eventType, names)
  const { example } = await db.eventType.findUniqueOrThrow({
    where: { name: eventType },
    select: { example: true },
  })
  if (example !== null) return example
  throw invalid([
    {
      path: ['eventType'],
      code: 'no_example',
      detail: `The event type ${eventType} has no example to send. Choose another event type, or ask an operator to add an example.`,
    },
  ])
}

/** The error for a name that the catalogue does not have, with the names that it has. */
export function unknownEventType(eventType: string, names: readonly string[]): DomainError {
  const hint = didYouMean(eventType, names) || ` The event types are ${names.join(', ')}.`
  return invalid([
    {
      path: ['eventType'],
      code: 'unknown_event_type',
      detail: `There is no event type ${JSON.stringify(eventType.slice(0, 128))}.${hint}`,
    },
  ])
}

import type { Db } from '../db/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { invalid } from '../lib/errors.ts'

/** What the `data` of an event of a type looks like. Throws `invalid` for a type that is not offered or has none. */
export async function findExample(db: Db, eventType: string): Promise<unknown> {
  const types = await db.eventType.findMany({
    where: { archivedAt: null },
    select: { name: true },
    orderBy: { name: 'asc' },
  })
  const names = types.map(({ name }) => name)
  if (!names.includes(eventType)) {
    const hint = didYouMean(eventType, names) || ` The event types are ${names.join(', ')}.`
    throw invalid([
      {
        path: ['eventType'],
        code: 'unknown_event_type',
        detail: `There is no event type ${JSON.stringify(eventType.slice(0, 128))}.${hint}`,
      },
    ])
  }
  const { example } = await db.eventType.findUniqueOrThrow({
    where: { name: eventType },
    select: { example: true },
  })
  if (example !== null) return example
  throw invalid([
    {
      path: ['eventType'],
      code: 'no_example',
      detail: `The event type ${eventType} has no example to send. Choose another, or have an operator give it one.`,
    },
  ])
}

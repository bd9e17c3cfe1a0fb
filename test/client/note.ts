import { SYSTEM } from '../../src/access/actor.ts'
import type { Database } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'

/** An event type without a schema. */
export const NOTE = 'client.note'

/** The files of a worker process share the catalogue. */
export async function createNoteType({ prisma }: Database): Promise<void> {
  if (await prisma.eventType.findUnique({ where: { name: NOTE } })) return
  await createEventType(prisma, { name: NOTE, description: 'Any JSON value.' }, SYSTEM)
}

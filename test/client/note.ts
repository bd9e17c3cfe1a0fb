import { SYSTEM } from '../../src/access/actor.ts'
import type { Database } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'

/** An event type without a schema. */
export const NOTE = 'client.note'

export async function createNoteType({ prisma }: Database): Promise<void> {
  await createEventType(prisma, { name: NOTE, description: 'Any JSON value.' }, SYSTEM)
}

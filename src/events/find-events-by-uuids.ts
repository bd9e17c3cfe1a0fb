import type { Db } from '../db/client.ts'
import type { Event, Prisma } from '../db/generated/prisma/client.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

/** The organization's events with these uuids, newest first. */
export async function findEventsByUuids(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
): Promise<Event[]> {
  return await db.event.findMany({
    ...selection,
    where: { id: { in: [...uuids] }, organizationId },
    orderBy: { id: 'desc' },
  })
}

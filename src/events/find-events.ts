import type { Db } from '../db/client.ts'
import type { Event, EventType, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { parseId } from '../ids.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

/** A page of the events of an organization, newest first: of one type, or of all. */
export async function findEvents(
  db: Db,
  organizationId: string,
  { type }: { readonly type?: string | null | undefined },
  query: Selection & Page,
): Promise<Event[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.event.findMany({
    ...page,
    where: { ...where, organizationId, ...(typeof type === 'string' && { type }) },
  })
}

/** The event with a public id, or `null` when the organization has none such. */
export async function findEventById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Event | null> {
  const uuid = parseId('event', id)
  if (!uuid) return null
  return await db.event.findUnique({ ...selection, where: { id: uuid, organizationId } })
}

/** An event that its publisher was just told the id of. The look-ups of one tick go together. */
export async function findPublishedEvent(
  db: Db,
  id: string,
  selection: Selection,
): Promise<Event | null> {
  const uuid = parseId('event', id)
  return uuid ? await db.event.findUnique({ ...selection, where: { id: uuid } }) : null
}

/** The catalogue: the types that can be published and subscribed to, by name. */
export async function findEventTypes(
  db: Db,
  selection: Pick<Prisma.EventTypeFindManyArgs, 'select'>,
): Promise<EventType[]> {
  return await db.eventType.findMany({
    ...selection,
    where: { archivedAt: null },
    orderBy: { name: 'asc' },
  })
}

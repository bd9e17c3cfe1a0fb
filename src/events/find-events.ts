import type { Db } from '../db/client.ts'
import type { Event, EventType, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

/** Which events. What is missing or null does not matter. */
export interface EventFilter {
  readonly uuid?: string | null | undefined
  readonly type?: string | null | undefined
  /** When it was published: from `since` on, and before `until`. */
  readonly since?: Date | null | undefined
  readonly until?: Date | null | undefined
}

/** A page of the events of an organization, newest first. */
export async function findEvents(
  db: Db,
  organizationId: string,
  { uuid, type, since, until }: EventFilter,
  query: Selection & Page,
): Promise<Event[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.event.findMany({
    ...page,
    where: {
      ...where,
      organizationId,
      ...(typeof type === 'string' && { type }),
      AND: [
        ...(uuid ? [{ id: uuid }] : []),
        ...(since ? [{ id: { gte: lowerBoundAt(since) } }] : []),
        ...(until ? [{ id: { lt: lowerBoundAt(until) } }] : []),
      ],
    },
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

type TypeSelection = Pick<Prisma.EventTypeFindManyArgs, 'select'>

/** The catalogue: the types that can be published and subscribed to, by name, and on request the archived ones. */
export async function findEventTypes(
  db: Db,
  { includeArchived }: { readonly includeArchived: boolean },
  selection: TypeSelection,
): Promise<EventType[]> {
  return await db.eventType.findMany({
    ...selection,
    where: includeArchived ? {} : { archivedAt: null },
    orderBy: { name: 'asc' },
  })
}

/** A type that was there a moment ago. Types are never removed. */
export async function rereadEventType(
  db: Db,
  name: string,
  selection: TypeSelection,
): Promise<EventType> {
  return await db.eventType.findUniqueOrThrow({ ...atLeastKey(selection, 'name'), where: { name } })
}

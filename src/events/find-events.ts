import type { Db, Sql } from '../db/client.ts'
import type { Event, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import type { EventFilter } from './event-filter.ts'
import { findEventsByKey, findEventsByValue } from './find-events-by-key.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

/** A page of an organization's events, newest first. */
export async function findEvents(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  filter: EventFilter,
  query: Selection & Page,
): Promise<Event[]> {
  const { uuid, type, key, value, since, until } = filter
  const deps = { prisma, sql }
  if (key) return await findEventsByKey(deps, organizationId, { ...filter, key }, query)
  if (value != null)
    return await findEventsByValue(deps, organizationId, { ...filter, value }, query)
  const { where, ...page } = pageOf(query, 'newest first')
  return await prisma.event.findMany({
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

/** The organization's event with a public id, or `null`. */
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

/** An event that this request published. Prisma batches the lookups of one tick. */
export async function findPublishedEvent(
  db: Db,
  id: string,
  selection: Selection,
): Promise<Event | null> {
  const uuid = parseId('event', id)
  return uuid ? await db.event.findUnique({ ...selection, where: { id: uuid } }) : null
}

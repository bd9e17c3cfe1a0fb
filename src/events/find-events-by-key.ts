import type { Db, Sql } from '../db/client.ts'
import type { Event, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import type { EventFilter } from './event-filter.ts'
import { findEventsByUuids } from './find-events-by-uuids.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** A page of an organization's events with a value at a search key, newest first. Reads the index of search keys. */
export async function findEventsByKey(
  { prisma, sql }: Deps,
  organizationId: string,
  { key: given, uuid, type, since, until }: EventFilter & { readonly key: SearchKey },
  query: Selection & Page,
): Promise<Event[]> {
  const key = await findSearchKey(sql, given)
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    `k.organization_id = ${add(organizationId)}`,
    `k.path = ${add(key.path)}`,
    `k.value = ${add(key.equals)}`,
    ...(where.id
      ? ['lt' in where.id ? `k.event_id < ${add(where.id.lt)}` : `k.event_id > ${add(where.id.gt)}`]
      : []),
    ...(uuid ? [`k.event_id = ${add(uuid)}`] : []),
    ...(since ? [`k.event_id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`k.event_id < ${add(lowerBoundAt(until))}`] : []),
  ]
  const ofType =
    typeof type === 'string'
      ? `join posthorn.events as e
           on e.id = k.event_id and e.organization_id = k.organization_id and e.type = ${add(type)}`
      : ''
  const { rows } = await sql.query<{ id: string }>(
    `select k.event_id as id from posthorn.event_keys as k ${ofType}
     where ${conditions.join(' and ')}
     order by k.event_id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`,
    values,
  )
  const uuids = rows.map(({ id }) => id)
  return await findEventsByUuids(prisma, organizationId, uuids, selection)
}

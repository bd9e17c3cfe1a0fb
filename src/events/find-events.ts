import type { Db, Sql } from '../db/client.ts'
import type { Event, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { boundConditions, type Page, pageOf } from '../db/page.ts'
import { createParameters } from '../db/parameters.ts'
import { byIds } from '../db/selection.ts'
import { findSearchKey, type SearchKey } from '../event-types/search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

type Selection = Pick<Prisma.EventFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** Conditions on events. A missing or null field matches every event. */
export interface EventFilter {
  readonly uuid?: string | null | undefined
  readonly type?: string | null | undefined
  /** A value in the data. */
  readonly key?: SearchKey | null | undefined
  /** A value at any search key. Without `key` and `type`. */
  readonly value?: string | null | undefined
  /** The earliest time of publication. */
  readonly since?: Date | null | undefined
  /** Published before this time. */
  readonly until?: Date | null | undefined
}

/** A page of an organization's events, newest first. */
export async function findEvents(
  deps: Deps,
  organizationId: string,
  filter: EventFilter,
  query: Selection & Page,
): Promise<Event[]> {
  const { uuid, type, key, value, since, until } = filter
  if (key || value != null) return await findEventsByValue(deps, organizationId, filter, query)
  const { where, ...page } = pageOf(query, 'newest first')
  return await deps.prisma.event.findMany({
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

/** The organization's events with these uuids, by uuid, newest first. */
export const findEventsByIds = byIds<Event, Selection>((db, found) =>
  db.event.findMany({ ...found, orderBy: { id: 'desc' } }),
)

/** The most events of a type that are read to find those of a search key among them. */
const FEW = 1_000

/** A search for a value of which nobody knows the key tries at most this many search keys. */
export const MAX_PATHS = 100

/**
 * A page of an organization's events with a value at a search key, or at any: a page of each key, merged, newest first. Reads
 * the events of a key in this order until the page is full. If the key has many events and the type few, reads those of the type.
 */
async function findEventsByValue(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: EventFilter,
  query: Selection & Page,
): Promise<Event[]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const key = filter.key ? await findSearchKey(sql, filter.key) : null
  const searched = { ...filter, value: key?.equals ?? filter.value, path: key?.path ?? null }
  const { ofKey, ofType, add, values } = conditions(organizationId, searched)
  const direction = take > 0 ? 'desc' : 'asc'
  const size = add(Math.abs(take))
  const ofPage = (id: string) => boundConditions(id, where.id, add)
  // Scalar subqueries, because the planner could turn `exists` into a join that reads all events.
  const hasKey = `(select true from posthorn.event_keys as k where ${and('k.event_id = e.id', ofKey)})`
  const hasType = `(select true from posthorn.events as e where ${and('e.id = k.event_id', ofType)})`
  const readsType = filter.type != null && (await hasFewOfType(sql, organizationId, searched))
  const paths = `select distinct unnest(search_keys) as path from posthorn.event_types order by 1 limit ${MAX_PATHS}`
  const { rows } = await sql.query<{ id: string }>(
    readsType
      ? `select e.id from posthorn.events as e where ${and(hasKey, ofType, ofPage('e.id'))}
         order by e.id ${direction} limit ${size}`
      : `select distinct found.id from (${key ? 'select 1' : paths}) as key, lateral (
           select k.event_id as id from posthorn.event_keys as k
           where ${and(ofKey, ofPage('k.event_id'), filter.type == null ? [] : hasType)}
           order by k.event_id ${direction} limit ${size}
         ) as found order by 1 ${direction} limit ${size}`,
    values,
  )
  const uuids = rows.map(({ id }) => id)
  return [...(await findEventsByIds(prisma, organizationId, uuids, selection)).values()]
}

type Searched = EventFilter & { readonly path: string | null }

async function hasFewOfType(sql: Sql, organizationId: string, filter: Searched): Promise<boolean> {
  const { ofKey, ofType, values } = conditions(organizationId, filter)
  const count = (rows: string) =>
    `(select count(*) from (select from ${rows} limit ${FEW + 1}) as few)::int`
  const { rows } = await sql.query<{ keys: number; events: number }>(
    `select ${count(`posthorn.event_keys as k where ${and(ofKey)}`)} as keys,
       ${count(`posthorn.events as e where ${and(ofType)}`)} as events`,
    values,
  )
  const [found] = rows
  return found !== undefined && found.keys > FEW && found.events <= FEW
}

/** SQL: the conditions on the search keys `k`, and on the events `e`. Without a path, those on `k` are about `key.path`. */
function conditions(organizationId: string, { type, path, value, uuid, since, until }: Searched) {
  const { values, add } = createParameters()
  const organization = add(organizationId)
  const atPath = path === null ? 'key.path' : add(path)
  const bounds = [
    ...(uuid ? [`= ${add(uuid)}`] : []),
    ...(since ? [`>= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`< ${add(lowerBoundAt(until))}`] : []),
  ]
  const ofKey = [
    `k.organization_id = ${organization}`,
    `k.path = ${atPath}`,
    `k.value = ${add(value)}`,
    ...bounds.map((bound) => `k.event_id ${bound}`),
  ]
  const ofType = [
    `e.organization_id = ${organization}`,
    ...(type == null ? [] : [`e.type = ${add(type)}`]),
    ...bounds.map((bound) => `e.id ${bound}`),
  ]
  return { ofKey, ofType, add, values }
}

function and(...given: readonly (string | readonly string[])[]): string {
  return given.flat().join(' and ')
}

import type { Db } from '../db/client.ts'
import type { Incident, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import type { Page } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { invalid, notFound } from '../lib/errors.ts'

export type IncidentState = 'open' | 'snoozed' | 'closed'

/** Conditions on incidents. A missing or null field matches every incident. */
export interface IncidentFilter {
  readonly states?: readonly IncidentState[] | null | undefined
  /** A public id. */
  readonly webhookId?: string | null | undefined
  /** Matches those that were closed at or after this time, and those that are not closed. */
  readonly since?: Date | null | undefined
}

type Fields = Pick<Prisma.IncidentFindManyArgs, 'select' | 'include'>

export function stateOf(
  { closedAt, snoozedUntil }: Pick<Incident, 'closedAt' | 'snoozedUntil'>,
  now = new Date(),
): IncidentState {
  if (closedAt) return 'closed'
  return snoozedUntil && snoozedUntil > now ? 'snoozed' : 'open'
}

function inState(state: IncidentState, now: Date): Prisma.IncidentWhereInput {
  switch (state) {
    case 'closed':
      return { closedAt: { not: null } }
    case 'snoozed':
      return { closedAt: null, snoozedUntil: { gt: now } }
    default:
      return { closedAt: null, OR: [{ snoozedUntil: null }, { snoozedUntil: { lte: now } }] }
  }
}

/**
 * A page of the organization's incidents: the ones that are not closed, the worst first, and then the closed ones, the last
 * closed first. The index on (organization_id, severity, closed_at, id) has this order.
 */
export async function findIncidents(
  db: Db,
  organizationId: string,
  filter: IncidentFilter,
  query: Fields & Page,
): Promise<Incident[]> {
  const { cursor, ...rest } = query
  return await db.incident.findMany({
    ...rest,
    ...(cursor?.id && { cursor: { id: cursor.id } }),
    where: { organizationId, ...conditions(filter) },
    orderBy: [{ severity: 'desc' }, { closedAt: 'desc' }, { id: 'desc' }],
  })
}

/** Counts them. */
export async function countIncidents(
  db: Db,
  organizationId: string,
  filter: IncidentFilter,
): Promise<number> {
  return await db.incident.count({ where: { organizationId, ...conditions(filter) } })
}

function conditions({ states, webhookId, since }: IncidentFilter): Prisma.IncidentWhereInput {
  const uuid = webhookId == null ? null : parseId('webhook', webhookId)
  if (webhookId != null && uuid === null) {
    const detail = 'filter.webhookId must be the id of a webhook: wh_….'
    throw invalid([{ path: ['filter', 'webhookId'], code: 'invalid_argument', detail }])
  }
  const now = new Date()
  return {
    ...(uuid && { webhookId: uuid }),
    AND: [
      states ? { OR: states.map((state) => inState(state, now)) } : {},
      since ? { OR: [{ closedAt: null }, { closedAt: { gte: since } }] } : {},
    ],
  }
}

/** The organization's incident with a public id. Throws `not_found`. */
export async function readIncident(
  db: Db,
  organizationId: string,
  id: string,
  fields: Fields,
): Promise<Incident> {
  const uuid = parseId('incident', id)
  const row =
    uuid &&
    (await db.incident.findUnique({ ...atLeastKey(fields), where: { id: uuid, organizationId } }))
  if (!row) throw notFound('incident', id)
  return row
}

/** The incidents of webhooks that are not closed, by the uuid of the webhook. */
export async function findOpenIncidents(
  db: Db,
  organizationId: string,
  webhookUuids: readonly string[],
  { select, include }: Fields,
): Promise<Map<string, Incident>> {
  const where = { organizationId, webhookId: { in: [...webhookUuids] }, closedAt: null }
  const rows = await db.incident.findMany({
    ...(select ? { select: { ...select, webhookId: true } } : { include: include ?? {} }),
    where,
  } as Prisma.IncidentFindManyArgs)
  return new Map(rows.map((row) => [row.webhookId, row]))
}

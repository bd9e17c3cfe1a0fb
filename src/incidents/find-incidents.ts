import type { Db, Sql } from '../db/client.ts'
import type { Incident, Prisma } from '../db/generated/prisma/client.ts'
import { requireId } from '../db/ids.ts'
import type { Page } from '../db/page.ts'

export type IncidentState = 'open' | 'acknowledged' | 'resolved'

/** Conditions on incidents. A missing or null field matches every incident. */
export interface IncidentFilter {
  readonly states?: readonly IncidentState[] | null | undefined
  /** A public id. */
  readonly webhookId?: string | null | undefined
}

type Fields = Pick<Prisma.IncidentFindManyArgs, 'select' | 'include'>

export function stateOf({
  acknowledgedAt,
  resolvedAt,
}: Pick<Incident, 'acknowledgedAt' | 'resolvedAt'>): IncidentState {
  if (resolvedAt) return 'resolved'
  return acknowledgedAt ? 'acknowledged' : 'open'
}

const IN_STATE: Readonly<Record<IncidentState, Prisma.IncidentWhereInput>> = {
  open: { resolvedAt: null, acknowledgedAt: null },
  acknowledged: { resolvedAt: null, acknowledgedAt: { not: null } },
  resolved: { resolvedAt: { not: null } },
}

/**
 * A page of the organization's incidents: the ones that are not resolved, the worst first, and then the resolved ones, the
 * last resolved first. The index on (organization_id, severity, resolved_at, id) has this order.
 */
export async function findIncidents(
  db: Db,
  organizationId: string,
  { states, webhookId }: IncidentFilter,
  { cursor, ...query }: Fields & Page,
): Promise<Incident[]> {
  const uuid = webhookId == null ? null : requireId('webhook', webhookId, ['filter', 'webhookId'])
  return await db.incident.findMany({
    ...query,
    ...(cursor?.id && { cursor: { id: cursor.id } }),
    where: {
      organizationId,
      ...(uuid && { webhookId: uuid }),
      ...(states && { OR: states.map((state) => IN_STATE[state]) }),
    },
    orderBy: [{ severity: 'desc' }, { resolvedAt: 'desc' }, { id: 'desc' }],
  })
}

/** The incidents of webhooks that are not resolved, by the uuid of the webhook. */
export async function findOpenIncidents(
  db: Db,
  organizationId: string,
  webhookUuids: readonly string[],
  { select, include }: Fields,
): Promise<Map<string, Incident>> {
  const where = { organizationId, webhookId: { in: [...webhookUuids] }, resolvedAt: null }
  const rows = await db.incident.findMany({
    ...(select ? { select: { ...select, webhookId: true } } : { include: include ?? {} }),
    where,
  } as Prisma.IncidentFindManyArgs)
  return new Map(rows.map((row) => [row.webhookId, row]))
}

/** Deletes the incidents that were resolved before the retention. Returns their number. */
export async function deleteOldIncidents(sql: Sql, retentionMs: number): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.incidents where resolved_at < now() - $1 * interval '1 millisecond'`,
    [retentionMs],
  )
  return rowCount ?? 0
}

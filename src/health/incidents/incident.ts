import type { Actor } from '../../auth/access/actor.ts'
import { writeAuditEntry } from '../../auth/audit/audit-entry.ts'
import { actForOrganization } from '../../db/act-for.ts'
import type { Db } from '../../db/client.ts'
import type { Incident, Prisma, PrismaClient } from '../../db/generated/prisma/client.ts'
import { parseId, requireId } from '../../db/ids.ts'
import type { Page } from '../../db/page.ts'
import { DomainError, notFound } from '../../lib/errors.ts'
import { notifyOnCommit } from '../../streams/live/notify.ts'

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

/**
 * Acknowledges an incident, or withdraws that. A second time changes nothing. Throws `not_found`, or `conflict` if the
 * incident is resolved.
 */
export async function acknowledgeIncident(
  prisma: PrismaClient,
  organizationId: string,
  id: string,
  acknowledged: boolean,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('incident', id)
  if (!uuid) throw notFound('incident', id)
  await actForOrganization(prisma, organizationId, async (tx) => {
    await tx.$queryRaw`select from posthorn.incidents where id = ${uuid}::uuid for update`
    const incident = await tx.incident.findFirst({ where: { id: uuid, organizationId } })
    if (!incident) throw notFound('incident', id)
    if (incident.resolvedAt) {
      throw new DomainError('conflict', `The incident ${id} is resolved, so it cannot be changed.`)
    }
    if (acknowledged === (incident.acknowledgedAt !== null)) return
    await tx.incident.update({
      where: { id: uuid },
      data: {
        acknowledgedAt: acknowledged ? new Date() : null,
        acknowledgedBy: acknowledged ? await nameOf(tx, actor) : null,
      },
    })
    await writeAuditEntry(tx, actor, {
      action: 'incident.updated',
      organizationId,
      subjectId: id,
      before: { acknowledged: !acknowledged },
      after: { acknowledged },
    })
    await notifyOnCommit(tx, organizationId)
  })
}

/** The person, or the name of the API key. */
async function nameOf(tx: Db, { person, apiKeyId, source }: Actor): Promise<string> {
  if (person !== null || apiKeyId === null) return person ?? source
  const key = await tx.apiKey.findUnique({ where: { id: apiKeyId } })
  return key?.name ?? `${key?.tokenHint ?? 'API key'}…`
}

import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import { notifyOnCommit } from '../live/notify.ts'

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

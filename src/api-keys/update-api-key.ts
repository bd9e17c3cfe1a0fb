import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { checkEditConflict } from '../audit/edit-conflict.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { givenLimits, type LimitsInput, requireLimits } from './limits.ts'

/**
 * Changes the limits of an API key in every process. Null: the default. Missing: unchanged. Throws `not_found` or
 * `invalid`, or an `EditConflict` if somebody else changed the same limits after `ifRevision`.
 */
export async function updateApiKey(
  db: Db,
  id: string,
  { ifRevision, ...input }: Changes,
  changedBy: Caller,
  actor: Actor,
): Promise<void> {
  const { organizationId } = changedBy
  const uuid = parseId('apiKey', id)
  await actForOrganization(db, organizationId, async (tx) => {
    await tx.$queryRaw`select from posthorn.api_keys where id = ${uuid}::uuid for no key update`
    const before = uuid && (await tx.apiKey.findUnique({ where: { id: uuid, organizationId } }))
    if (!before) throw notFound('API key', id)
    const data = givenLimits(input)
    requireLimits(data, changedBy)
    const limits = givenLimits(before)
    const changed = changedFields(limits, { ...limits, ...data })
    const subject = { organizationId, subjectId: id }
    const edited = { ...subject, revision: before.revision, actions: [UPDATED] as const }
    if (Object.keys(changed.after).length === 0) return
    await checkEditConflict(tx, edited, ifRevision ?? undefined)
    await tx.apiKey.update({
      where: { id: before.id },
      data: { ...data, revision: { increment: 1 } },
    })
    await writeAuditEntry(tx, actor, { action: UPDATED, ...subject, ...changed })
  })
}

const UPDATED = 'api_key.updated'

interface Changes extends LimitsInput {
  /** The revision that the caller read. */
  readonly ifRevision?: number | null | undefined
}

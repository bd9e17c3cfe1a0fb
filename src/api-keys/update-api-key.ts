import { type Actor, SYSTEM } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { type LimitsInput, requireLimits } from './limits.ts'

/** Changes the limits of an API key in every process. Null: the default. Missing: unchanged. */
export async function updateApiKey(
  db: Db,
  id: string,
  { requestsPerSecond, eventsPerSecond }: Changes,
  changedBy: Caller,
  actor: Actor = SYSTEM,
): Promise<void> {
  const { organizationId } = changedBy
  const uuid = parseId('apiKey', id)
  await actForOrganization(db, organizationId, async (tx) => {
    const before = uuid && (await tx.apiKey.findUnique({ where: { id: uuid, organizationId } }))
    if (!before) throw notFound('API key', id)
    const data = {
      ...(requestsPerSecond !== undefined && { requestsPerSecond }),
      ...(eventsPerSecond !== undefined && { eventsPerSecond }),
    }
    requireLimits(data, changedBy)
    const after = await tx.apiKey.update({ where: { id: before.id }, data })
    await writeAuditEntry(tx, actor, {
      action: 'api_key.updated',
      organizationId,
      subjectId: id,
      before: auditedFields(before),
      after: auditedFields(after),
    })
  })
}

type Changes = { readonly [name in keyof LimitsInput]?: LimitsInput[name] | undefined }

function auditedFields({ requestsPerSecond, eventsPerSecond }: LimitsInput) {
  return { requestsPerSecond, eventsPerSecond }
}

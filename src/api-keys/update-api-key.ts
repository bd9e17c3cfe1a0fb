import { type Actor, SYSTEM } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { type LimitsInput, requireLimits } from './limits.ts'

/** Changes the limits that are given: null for the default; what is missing stays. Every process follows at once. */
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
    const given = {
      ...(requestsPerSecond !== undefined && { requestsPerSecond }),
      ...(eventsPerSecond !== undefined && { eventsPerSecond }),
    }
    requireLimits(given, changedBy)
    const after = await tx.apiKey.update({ where: { id: before.id }, data: given })
    await writeAuditEntry(tx, actor, {
      action: 'api_key.updated',
      organizationId,
      subjectId: id,
      before: pick(before),
      after: pick(after),
    })
  })
}

/** What is missing stays. */
type Changes = { readonly [name in keyof LimitsInput]?: LimitsInput[name] | undefined }

function pick({ requestsPerSecond, eventsPerSecond }: LimitsInput) {
  return { requestsPerSecond, eventsPerSecond }
}

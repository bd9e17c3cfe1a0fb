import type { Db } from '../db/client.ts'
import { lockUid, uidRule, uidTaken } from '../own-names/uid.ts'

/** The transaction of a change. Read committed: the next holder of a lock must see what the previous one committed. */
export function claiming(uid: unknown): { readonly isolationLevel?: 'ReadCommitted' } {
  return typeof uid === 'string' ? { isolationLevel: 'ReadCommitted' } : {}
}

/**
 * Keeps others from giving a uid to a webhook of the organization until the transaction ends. Throws `invalid` if another
 * webhook than `uuid` has the uid. The error does not name this webhook, which a session may not see.
 */
export async function claimUid(
  tx: Db,
  organizationId: string,
  uid: string,
  uuid?: string,
): Promise<void> {
  await lockUid(tx, organizationId, uid)
  const where = { organizationId, uid, deletedAt: null }
  const holder = await tx.webhook.findFirst({ where, select: { id: true } })
  if (holder && holder.id !== uuid) throw uidTaken(uid, 'another webhook of the organization')
}

/** The same for a field of a change that is not checked yet: one that breaks the rule of uids is left to the check. */
export async function claimGivenUid(
  tx: Db,
  organizationId: string,
  given: unknown,
  uuid: string,
): Promise<void> {
  const { data: uid } = uidRule.safeParse(given)
  if (uid !== undefined) await claimUid(tx, organizationId, uid, uuid)
}

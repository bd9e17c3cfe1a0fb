import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Db } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { inReadCommitted } from '../db/transaction.ts'
import { parseInput } from '../lib/validation.ts'
import { lockUid, uidRule } from '../own-names/uid.ts'
import type { Upserted } from '../own-names/upserted.ts'
import {
  createOrganization,
  INSTALLATION,
  type NewOrganization,
  updateInTransaction,
} from './organization.ts'

/**
 * Creates the organization with this uid, or changes the given fields of the existing one; fields that are not given keep
 * their values. Of concurrent calls, one creates. Throws `invalid`.
 */
export async function upsertOrganization(
  db: Db,
  uid: string,
  input: Omit<NewOrganization, 'uid'>,
  actor: Actor,
): Promise<Upserted> {
  parseInput(z.object({ uid: uidRule }), { uid })
  return await inReadCommitted(db, async (tx) => {
    await lockUid(tx, INSTALLATION, uid)
    // Read under a lock: a deletion, or another uid, can commit while this waits for the row.
    const [found] = await tx.$queryRaw<{ id: string }[]>`
      select id from posthorn.organizations where uid = ${uid} and deleted_at is null for no key update`
    if (found === undefined) {
      const { id } = await createOrganization(tx, { ...input, uid }, actor)
      return { id: publicId('organization', id), created: true, changed: true }
    }
    const { changed } = await updateInTransaction(tx, found.id, input, actor)
    return { id: publicId('organization', found.id), created: false, changed }
  })
}

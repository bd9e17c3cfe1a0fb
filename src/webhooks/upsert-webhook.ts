import { z } from 'zod'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { parseInput } from '../lib/validation.ts'
import { lockUid, uidRule } from '../own-names/uid.ts'
import type { Upserted } from '../own-names/upserted.ts'
import { claiming } from './claim-uid.ts'
import { withChallenge } from './endpoint/with-challenge.ts'
import { newHeaders } from './header-changes.ts'
import type { ChangeOptions } from './parse-changes.ts'
import { type ActingWebhookDeps, createWebhook, updateInTransaction } from './webhook.ts'
import type { NewWebhook } from './webhook-settings.ts'

/**
 * Creates the organization's webhook with this uid, or changes the given fields of the existing one; fields that are not
 * given keep their values, and so do its secrets. Of concurrent calls, one creates. Throws `invalid`.
 */
export async function upsertWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  uid: string,
  input: Omit<NewWebhook, 'uid'>,
  options: Omit<ChangeOptions, 'ifRevision'> = {},
): Promise<Upserted> {
  parseInput(z.object({ uid: uidRule }), { uid })
  const createOrChange = async (tx: Db, proving: ActingWebhookDeps): Promise<Upserted> => {
    await lockUid(tx, organizationId, uid)
    const found = await lockNamed(tx, organizationId, uid)
    if (found === null) {
      const { headerChanges } = options
      const headers = headerChanges && { headers: newHeaders(headerChanges) }
      const webhook = { ...input, ...headers, uid }
      const { id } = await createWebhook(proving, organizationId, webhook, tx)
      return { id, created: true, changed: true }
    }
    const { enabled, ...others } = input
    // Enabling an enabled webhook would add a job to each run of a program that upserts.
    const changes = enabled === true && found.enabled ? others : input
    const { changed } = await updateInTransaction(tx, proving, found.id, changes, options)
    return { id: publicId('webhook', found.id), created: false, changed }
  }
  return await withChallenge(deps, organizationId, (proving) =>
    actForOrganization(
      deps.prisma,
      organizationId,
      (tx) => createOrChange(tx, proving),
      claiming(uid),
    ),
  )
}

/** Locks the webhook with the uid. Null also if a deletion, or another uid, commits while this waits for its lock. */
async function lockNamed(tx: Db, organizationId: string, uid: string) {
  const [row] = await tx.$queryRaw<{ id: string; enabled: boolean }[]>`
    select id, enabled from posthorn.webhooks
    where organization_id = ${organizationId}::uuid and uid = ${uid} and deleted_at is null
    for no key update`
  return row ?? null
}

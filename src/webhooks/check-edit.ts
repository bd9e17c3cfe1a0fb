import { checkEditConflict } from '../audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { auditedFields } from './audited-webhook.ts'

/** Throws an `EditConflict` if one of the fields was changed after the revision. The webhook is locked. */
export async function checkEdit(
  tx: Db,
  keyring: Keyring,
  webhook: WebhookRow,
  fields: readonly string[],
  ifRevision: number | undefined,
): Promise<void> {
  if (ifRevision === undefined) return
  const { organizationId, revision, id } = webhook
  const { headers, ...values } = auditedFields(keyring, webhook)
  // The values of headers can be credentials.
  const present = {
    ...values,
    headers: headers && Object.keys(headers),
  }
  const current = Object.entries(present).filter(([name]) => fields.includes(name))
  await checkEditConflict(
    tx,
    {
      organizationId,
      subjectId: publicId('webhook', id),
      revision,
      actions: ['webhook.updated', 'signing_secret.rotated'],
    },
    ifRevision,
    Object.fromEntries(current),
  )
}

import { checkEditConflict } from '../audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'

/** Throws an `EditConflict` if the webhook, which is locked, has another revision than the caller read. */
export async function checkEdit(
  tx: Db,
  { organizationId, revision, id }: WebhookRow,
  ifRevision: number | undefined,
): Promise<void> {
  const actions = ['webhook.updated', 'signing_secret.rotated'] as const
  const edited = { organizationId, subjectId: publicId('webhook', id), revision, actions }
  await checkEditConflict(tx, edited, ifRevision)
}

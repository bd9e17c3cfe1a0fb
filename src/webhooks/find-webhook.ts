import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'

/** The organization's webhook with a public id. Throws `not_found`, also for a deleted webhook. */
export async function findWebhook(db: Db, organizationId: string, id: string): Promise<WebhookRow> {
  const uuid = parseId('webhook', id)
  const row =
    uuid && (await db.webhook.findFirst({ where: { id: uuid, organizationId, deletedAt: null } }))
  if (!row) throw notFound('webhook', id)
  return row
}

/** Locks a webhook until the transaction ends, and returns its current row. Throws `not_found` if it was deleted. */
export async function lockWebhook(tx: Db, uuid: string): Promise<WebhookRow> {
  await tx.$queryRaw`select from posthorn.webhooks where id = ${uuid}::uuid for no key update`
  const row = await tx.webhook.findFirst({ where: { id: uuid, deletedAt: null } })
  if (!row) throw notFound('webhook', publicId('webhook', uuid))
  return row
}

/** Throws an `EditConflict` if the webhook, which is locked, has another revision than the caller read. */
export async function checkEdit(
  tx: Db,
  { organizationId, revision, id }: WebhookRow,
  ifRevision: number | null | undefined,
): Promise<void> {
  const actions = ['webhook.updated', 'signing_secret.rotated'] as const
  const edited = { organizationId, subjectId: publicId('webhook', id), revision, actions }
  await checkEditConflict(tx, edited, ifRevision)
}

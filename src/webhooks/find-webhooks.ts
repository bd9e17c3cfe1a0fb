import type { Db } from '../db/client.ts'
import type { Prisma, Webhook } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { notFound } from '../errors.ts'
import { parseId } from '../ids.ts'

type Selection = Pick<Prisma.WebhookFindManyArgs, 'select' | 'include'>

/** A page of the webhooks of an organization, oldest first, with what the caller selects of them. */
export async function findWebhooks(
  db: Db,
  organizationId: string,
  query: Selection & Page,
): Promise<Webhook[]> {
  const { where, ...page } = pageOf(query, 'oldest first')
  return await db.webhook.findMany({
    ...page,
    where: { ...where, organizationId, deletedAt: null },
  })
}

/** The webhook with a public id, or `null` when the organization has none such. */
export async function findWebhookById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Webhook | null> {
  const uuid = parseId('webhook', id)
  if (!uuid) return null
  return await db.webhook.findUnique({
    ...selection,
    where: { id: uuid, organizationId, deletedAt: null },
  })
}

/** The same for one that was there a moment ago. Throws `not_found` when it is no more. */
export async function rereadWebhook(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Webhook> {
  const row = await findWebhookById(db, organizationId, id, selection)
  if (!row) throw notFound('webhook', id)
  return row
}

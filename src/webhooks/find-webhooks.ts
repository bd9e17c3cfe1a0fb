import type { Db } from '../db/client.ts'
import type { Prisma, Webhook } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'

type Selection = Pick<Prisma.WebhookFindManyArgs, 'select' | 'include'>

/** How a webhook fares. */
export type WebhookState = 'healthy' | 'failing' | 'on_hold' | 'disabled'

/** Which webhooks. What is missing or null does not matter. */
export interface WebhookFilter {
  /** For whom is restricted to one; nobody asks for it. */
  readonly uuid?: string | null | undefined
  readonly urlContains?: string | null | undefined
  readonly descriptionContains?: string | null | undefined
  readonly subscribesTo?: string | null | undefined
  readonly enabled?: boolean | null | undefined
  readonly state?: WebhookState | null | undefined
}

/** A page of the webhooks of an organization, oldest first, with what the caller selects of them. */
export async function findWebhooks(
  db: Db,
  organizationId: string,
  filter: WebhookFilter,
  query: Selection & Page,
): Promise<Webhook[]> {
  const { where, ...page } = pageOf(query, 'oldest first')
  return await db.webhook.findMany({
    ...page,
    where: { ...where, organizationId, deletedAt: null, AND: conditions(filter) },
  })
}

/** How many webhooks of the organization the filter finds. */
export async function countWebhooks(
  db: Db,
  organizationId: string,
  filter: WebhookFilter,
): Promise<number> {
  return await db.webhook.count({
    where: { organizationId, deletedAt: null, AND: conditions(filter) },
  })
}

function conditions(filter: WebhookFilter): Prisma.WebhookWhereInput[] {
  const { uuid, urlContains, descriptionContains, subscribesTo, enabled, state } = filter
  return [
    typeof uuid === 'string' ? { id: uuid } : {},
    typeof urlContains === 'string' ? { url: containing(urlContains) } : {},
    typeof descriptionContains === 'string' ? { description: containing(descriptionContains) } : {},
    typeof subscribesTo === 'string' ? { eventSubscriptions: { has: subscribesTo } } : {},
    typeof enabled === 'boolean' ? { enabled } : {},
    state ? inState(state) : {},
  ]
}

function inState(state: WebhookState): Prisma.WebhookWhereInput {
  const failing = { condition: { failingSince: { not: null } } }
  const held = { schedule: { onHoldSince: { not: null } } }
  switch (state) {
    case 'disabled':
      return { enabled: false }
    case 'failing':
      return { enabled: true, ...failing, NOT: held }
    case 'healthy':
      return { enabled: true, NOT: { OR: [failing, held] } }
    case 'on_hold':
      return { enabled: true, ...held }
  }
}

/** Prisma hands it to ILIKE as it is, so what that gives a meaning to must be escaped. */
function containing(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const
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
    ...atLeastKey(selection),
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

/** The webhooks with these uuids that belong to the organization, by their uuids. */
export async function findWebhooksByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
): Promise<Map<string, Webhook>> {
  const where = { id: { in: [...uuids] }, organizationId, deletedAt: null }
  const rows = await db.webhook.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}

import type { Db } from '../db/client.ts'
import type { PrismaClient, Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption.ts'
import { notFound } from '../errors.ts'
import { mintId, parseId, publicId } from '../ids.ts'
import { announceOnCommit } from '../live/announce.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { enqueue } from '../queue/enqueue.ts'
import { parseWebhook } from './check-webhook.ts'
import { decryptHeaders, encryptHeaders } from './custom-headers-at-rest.ts'
import { findWebhook } from './find-webhook.ts'
import { addSigningSecret } from './signing-secret.ts'
import {
  type NewWebhook,
  newWebhookSchema,
  type WebhookChanges,
  webhookChangesSchema,
} from './webhook-fields.ts'

/** A registered endpoint, with its custom headers as they were given. `id` is the public one. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly enabled: boolean
  readonly eventSubscriptions: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface WebhookDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly guard: AddressGuard
}

/** Registers a webhook and makes its signing secret. It delivers from now on if `enabled`. */
export async function createWebhook(
  { prisma, keyring, guard }: WebhookDeps,
  organizationId: string,
  input: NewWebhook,
  tx?: Db,
): Promise<Webhook> {
  const { headers, ...fields } = await parseWebhook(newWebhookSchema, input, {
    db: tx ?? prisma,
    guard,
  })
  // Minted here, because the custom headers are encrypted for this id.
  const id = parseId('webhook', mintId('webhook')) as string
  const headersCiphertext = encryptHeaders(keyring, headers, id)

  const insert = async (db: Db) => {
    const row = await db.webhook.create({
      data: { ...fields, id, organizationId, headersCiphertext },
    })
    await addSigningSecret(db, keyring, id)
    return toWebhook(keyring, row)
  }
  return tx ? await insert(tx) : await prisma.$transaction(insert)
}

/** The webhook with a public id, if it belongs to the organization. Throws `not_found` otherwise. */
export async function getWebhook(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  id: string,
): Promise<Webhook> {
  return toWebhook(keyring, await findWebhook(prisma, organizationId, id))
}

/** The webhooks of an organization, oldest first: all of them, or up to `limit` after the one with the id `after`. */
export async function listWebhooks(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  page: { limit?: number; after?: string } = {},
): Promise<Webhook[]> {
  const rows = await prisma.webhook.findMany({
    where: { organizationId, deletedAt: null, ...(page.after && { id: { gt: page.after } }) },
    orderBy: { id: 'asc' },
    ...(page.limit !== undefined && { take: page.limit }),
  })
  return rows.map((row) => toWebhook(keyring, row))
}

/** Changes the fields that are given. Switching it on also sends what waited meanwhile. */
export async function updateWebhook(
  { prisma, keyring, guard }: WebhookDeps,
  organizationId: string,
  id: string,
  input: WebhookChanges,
): Promise<Webhook> {
  const before = await findWebhook(prisma, organizationId, id)
  const { headers, ...fields } = await parseWebhook(webhookChangesSchema, input, {
    db: prisma,
    guard,
    alreadySubscribed: before.eventSubscriptions,
  })
  const row = await prisma.$transaction(async (tx) => {
    const updated = await tx.webhook.updateManyAndReturn({
      where: { id: before.id, deletedAt: null },
      data: {
        ...withoutUndefined(fields),
        ...(headers !== undefined && {
          headersCiphertext: encryptHeaders(keyring, headers, before.id),
        }),
        revision: { increment: 1 },
        updatedAt: new Date(),
      },
    })
    const [after] = updated
    if (!after) throw notFound('webhook', id)
    // Even when it was on before: a delivery may have been set aside by a worker a moment ago.
    if (fields.enabled) await enqueueRelease(tx, id)
    if (after.enabled !== before.enabled) {
      const health = after.enabled ? 'healthy' : 'disabled'
      await announceOnCommit(tx, { kind: 'health', organizationId, webhookId: after.id, health })
    }
    return after
  })
  return toWebhook(keyring, row)
}

/** Removes a webhook for good, with its secrets and headers. What it is still owed is canceled. */
export async function deleteWebhook(
  { prisma }: WebhookDeps,
  organizationId: string,
  id: string,
): Promise<void> {
  const { id: uuid } = await findWebhook(prisma, organizationId, id)
  await prisma.$transaction(async (tx) => {
    await tx.webhook.update({
      where: { id: uuid },
      data: {
        deletedAt: new Date(),
        enabled: false,
        headersCiphertext: null,
        revision: { increment: 1 },
      },
    })
    await tx.signingSecret.deleteMany({ where: { webhookId: uuid } })
    await enqueue(tx, 'cancel_deliveries', { webhookId: id }, { key: `cancel:${id}` })
  })
}

async function enqueueRelease(db: Db, webhookId: string): Promise<void> {
  await enqueue(db, 'release_waiting_deliveries', { webhookId }, { key: `release:${webhookId}` })
}

function toWebhook(keyring: Keyring, row: WebhookRow): Webhook {
  return {
    id: publicId('webhook', row.id),
    url: row.url,
    description: row.description,
    enabled: row.enabled,
    eventSubscriptions: row.eventSubscriptions,
    headers: decryptHeaders(keyring, row.headersCiphertext, row.id),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> }
}

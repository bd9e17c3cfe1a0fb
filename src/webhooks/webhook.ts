import type { Actor } from '../auth/access/actor.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient, Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { expandSubscriptions, isPattern, readNames } from '../event-types/find-event-types.ts'
import { settingsIn } from '../lib/setting.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { startWork } from '../queue/long-work.ts'
import type { SendChallenge } from './challenge.ts'
import { MASK, readHeaders } from './encrypted-headers.ts'
import { followIncidents } from './end-hold.ts'
import { findWebhook, lockWebhook } from './find-webhooks.ts'
import { WEBHOOK_SETTINGS } from './webhook-settings.ts'

/**
 * A registered endpoint with its decrypted custom headers. If no key decrypts them, `headers` has one placeholder,
 * which updates reject. `id` is the public id.
 */
export interface Webhook
  extends Pick<WebhookRow, 'id' | 'url' | 'description' | 'enabled' | 'createdAt' | 'updatedAt'> {
  /** The names of event types: patterns are expanded. */
  readonly eventSubscriptions: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

export interface WebhookDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string
  /** Only in processes that serve the API. */
  readonly sendChallenge?: SendChallenge
}

/** The dependencies of changes. */
export interface ActingWebhookDeps extends WebhookDeps {
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Throws if a change must not be made to the webhook as it is. The webhook is locked until the change commits. */
export type Precondition = (current: Webhook) => void

/** The organization's webhook with a public id. Throws `not_found`. */
export async function getWebhook(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  id: string,
): Promise<Webhook> {
  return await toWebhook(prisma, keyring, await findWebhook(prisma, organizationId, id))
}

/** The organization's webhooks, oldest first: all, which are at most 1,000, or up to `limit` after the uuid `after`. */
export async function listWebhooks(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  { limit, after }: { readonly limit?: number; readonly after?: string } = {},
): Promise<Webhook[]> {
  const rows = await prisma.webhook.findMany({
    where: { organizationId, deletedAt: null, ...(after && { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    ...(limit !== undefined && { take: limit }),
  })
  return await toWebhooks(prisma, keyring, rows)
}

/** Deletes a webhook with its secrets and headers, and cancels its pending deliveries. */
export async function deleteWebhook(
  { prisma, keyring, actor }: Pick<ActingWebhookDeps, 'prisma' | 'keyring' | 'actor'>,
  organizationId: string,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  await actForOrganization(prisma, organizationId, async (tx) => {
    const before = (await lockWebhook(tx, organizationId, { id })) as WebhookRow
    const { id: uuid } = before
    precondition?.(await toWebhook(tx, keyring, before))
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
    await tx.$executeRaw`delete from posthorn.webhook_schedules where webhook_id = ${uuid}::uuid`
    await followIncidents(tx, uuid)
    const cancelation = { selection: {}, total: 0, totalIsExact: false }
    await startWork(tx, {
      ...{ action: 'delete_webhook', organizationId, webhookId: uuid },
      ...cancelation,
    })
    await writeAuditEntry(tx, actor, {
      action: 'webhook.deleted',
      organizationId,
      subjectId: id,
      before: auditedWebhook(keyring, before),
    })
  })
}

export async function toWebhook(db: Db, keyring: Keyring, row: WebhookRow): Promise<Webhook> {
  const [webhook] = await toWebhooks(db, keyring, [row])
  return webhook as Webhook
}

async function toWebhooks(
  db: Db,
  keyring: Keyring,
  rows: readonly WebhookRow[],
): Promise<Webhook[]> {
  const hasPattern = rows.some(({ eventSubscriptions }) => eventSubscriptions.some(isPattern))
  const catalogue = hasPattern ? await readNames(db) : []
  return rows.map(({ id, eventSubscriptions, headersCiphertext, ...row }) => ({
    ...{ url: row.url, description: row.description, enabled: row.enabled },
    ...{ createdAt: row.createdAt, updatedAt: row.updatedAt },
    id: publicId('webhook', id),
    eventSubscriptions: expandSubscriptions(eventSubscriptions, catalogue),
    headers: readHeaders(keyring, headersCiphertext, id),
  }))
}

/**
 * The fields of a webhook that a caller can set, for the audit log. The values of headers, which can be credentials, are
 * masked: they only show whether they differ from those that the webhook had `before`.
 */
export function auditedWebhook(keyring: Keyring, row: WebhookRow, before = row) {
  const [headers, old] = [row, before].map(({ headersCiphertext, id }) =>
    readHeaders(keyring, headersCiphertext, id),
  )
  const masked = Object.entries(headers ?? {}).map(([name, value]) => {
    const hasChanged = old?.[name] !== undefined && old[name] !== value
    return [name, hasChanged ? `${MASK} (changed)` : MASK]
  })
  return {
    ...settingsIn(row, WEBHOOK_SETTINGS),
    // A set: another order is not a change.
    eventSubscriptions: row.eventSubscriptions.toSorted(),
    headers: Object.fromEntries(masked),
    retryScheduleSeconds: row.ownRetrySchedule ? row.retryScheduleSeconds : null,
  }
}

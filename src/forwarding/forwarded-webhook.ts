import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { requireRoom } from '../webhooks/require-room.ts'
import { type ActingWebhookDeps, createWebhook, type Webhook } from '../webhooks/webhook.ts'
import type { NewWebhook } from '../webhooks/webhook-fields.ts'

/** No name resolves below `.invalid` (RFC 6761), so an older worker that does not know of forwarding reaches nothing. */
export const FORWARDED_URL = 'https://forwarded.invalid/'

/** How long a temporary webhook outlives its stream: a command that lost its connection, or its server, comes back. */
export const FORWARDED_FOR_S = 300

/** Temporary webhooks of an organization. */
export const MAX_FORWARDED_WEBHOOKS = 20

export type NewForwardedWebhook = Partial<Pick<NewWebhook, 'description' | 'eventSubscriptions'>>

/** Creates a temporary webhook. Its deliveries go to the stream of `posthorn listen --forward`. */
export async function createForwardedWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  { description, eventSubscriptions }: NewForwardedWebhook,
): Promise<Webhook> {
  return await actForOrganization(deps.prisma, organizationId, async (tx) => {
    const webhook = await createWebhook(
      { ...deps, allowsPatterns: true },
      organizationId,
      {
        url: FORWARDED_URL,
        description: description ?? null,
        eventSubscriptions: eventSubscriptions ?? ['*'],
        enabled: true,
      },
      tx,
    )
    await tx.$executeRaw`
      update posthorn.webhooks set forwarded_until = now() + ${FORWARDED_FOR_S} * interval '1 second'
      where id = ${parseId('webhook', webhook.id)}::uuid`
    await requireRoom(tx, organizationId, {
      max: MAX_FORWARDED_WEBHOOKS,
      where: { forwardedUntil: { gt: new Date() } },
      thing: 'temporary webhooks',
      remedy: 'End a `posthorn listen --forward`, or delete one of them.',
    })
    return webhook
  })
}

/** Keeps a temporary webhook while its stream is open. Throws `not_found` once it has expired or was deleted. */
export async function extendForwarding(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<void> {
  const { rowCount } = await sql.query(
    `update posthorn.webhooks set forwarded_until = now() + $3 * interval '1 second'
     where id = $1 and organization_id = $2 and deleted_at is null and forwarded_until > now()`,
    [parseId('webhook', id), organizationId, FORWARDED_FOR_S],
  )
  if (rowCount === 0) throw notFound('temporary webhook', id)
}

import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import type { Db } from '../db/client.ts'
import type { ApiKey, Prisma } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import { createSession, MAX_TTL_SECONDS, ttlRule } from './create-session.ts'
import type { PortalSession } from './portal-session.ts'
import { deliveryUrl } from './portal-url.ts'

/** A link to a delivery is for reading the delivery, its attempts and its payload. */
const SCOPES = ['deliveries:read', 'events:read'] as const

export const DEFAULT_LINK_SECONDS = MAX_TTL_SECONDS

/**
 * Creates a portal session that reads one delivery and nothing else, with its URL at `origin`. Throws `not_found` for a
 * delivery of another organization or of a deleted webhook, and `invalid` if the caller lacks a scope.
 */
export async function createDeliveryLink(
  db: Db,
  deliveryId: string,
  { ttlSeconds }: { readonly ttlSeconds?: number | null | undefined },
  origin: string,
  grantedBy: Caller,
  actor: Actor,
): Promise<PortalSession> {
  const input = parseInput(z.object({ ttlSeconds: ttlRule }), {
    ttlSeconds: ttlSeconds ?? DEFAULT_LINK_SECONDS,
  })
  const { organizationId } = grantedBy
  const id = parseId('delivery', deliveryId)
  const delivery =
    id &&
    (await db.delivery.findUnique({ where: { id, organizationId }, select: { webhookId: true } }))
  if (!delivery) throw notFound('delivery', deliveryId)
  const { token, ...created } = await createSession(
    db,
    {
      kind: 'portal',
      name: `Link to ${deliveryId}`,
      scopes: SCOPES,
      webhookId: publicId('webhook', delivery.webhookId),
      deliveryId,
      ...input,
    },
    grantedBy,
    actor,
  )
  return { ...created, url: deliveryUrl(origin, token, deliveryId) }
}

/** The links to deliveries that still open, newest first, by the uuids of the deliveries. */
export async function findDeliveryLinks(
  db: Db,
  deliveryUuids: readonly string[],
  selection: Pick<Prisma.ApiKeyFindManyArgs, 'select' | 'include'>,
): Promise<ApiKey[][]> {
  const now = new Date()
  const isOpen = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
  const links = await db.apiKey.findMany({
    ...selection,
    where: { deliveryId: { in: [...deliveryUuids] }, ...isOpen, grantor: isOpen },
    orderBy: { id: 'desc' },
  })
  return deliveryUuids.map((uuid) => links.filter(({ deliveryId }) => deliveryId === uuid))
}

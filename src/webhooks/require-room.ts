import type { Db } from '../db/client.ts'
import { invalid } from '../lib/errors.ts'

/**
 * Throws `invalid` if the organization has the maximum number of webhooks. Concurrent creations wait for each other until
 * they commit, so that together they do not exceed it.
 */
export async function requireRoom(
  db: Db,
  organizationId: string,
  maxWebhooks: number,
): Promise<void> {
  await db.$queryRaw`
    select pg_advisory_xact_lock(hashtextextended('posthorn.create_webhook:' || ${organizationId}, 0))::text`
  const count = await db.webhook.count({ where: { organizationId, deletedAt: null } })
  if (count < maxWebhooks) return
  const limit = maxWebhooks.toLocaleString('en')
  throw invalid([
    {
      path: [],
      code: 'too_many_webhooks',
      detail: `The organization has ${count.toLocaleString('en')} webhooks, and may have ${limit}. Delete one that is no longer used, or ask the operator to raise POSTHORN_MAX_WEBHOOKS.`,
    },
  ])
}

import type { Db } from '../db/client.ts'
import { invalid } from '../lib/errors.ts'

/** The maximum number of webhooks of an organization: each event is compared with all of them. */
const MAX_WEBHOOKS = 1_000

/**
 * Throws `invalid` if a webhook that the transaction created is one too many for the organization. Concurrent creations
 * wait for each other until they commit, so that together they do not exceed the maximum: the last thing of a transaction,
 * so that they wait for little.
 */
export async function requireRoom(db: Db, organizationId: string): Promise<void> {
  await db.$queryRaw`
    select pg_advisory_xact_lock(hashtextextended('posthorn.create_webhook:' || ${organizationId}, 0))::text`
  const count = await db.webhook.count({ where: { organizationId, deletedAt: null } })
  if (count <= MAX_WEBHOOKS) return
  throw invalid([
    {
      path: [],
      code: 'too_many_webhooks',
      detail: 'An organization can have 1,000 webhooks. Delete one that is no longer used.',
    },
  ])
}

import { SYSTEM } from '../access/actor.ts'
import { publicId } from '../db/ids.ts'
import type { Pools } from '../db/pools.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError, notFound } from '../lib/errors.ts'

/** Webhooks that one run deletes. The next run deletes the next ones. */
const MAX_DELETED = 1_000

/** Deletes the webhooks that have expired, which cancels their deliveries. Returns how many. */
export async function deleteExpiredWebhooks(
  { pool }: Pick<Pools, 'pool'>,
  keyring: Keyring,
): Promise<number> {
  const { rows } = await pool.query<ExpiredWebhook>(
    `select id, organization_id as "organizationId", expires_at as "expiresAt"
     from posthorn.webhooks
     where expires_at <= now() and deleted_at is null
     limit ${MAX_DELETED}`,
  )
  if (rows.length === 0) return 0
  // Most installations have none, and the worker uses Prisma for nothing else.
  const [{ openPrisma }, { deleteWebhook }] = await Promise.all([
    import('../db/client.ts'),
    import('./webhook.ts'),
  ])
  const deps = { prisma: openPrisma(pool), keyring, actor: SYSTEM }
  for (const expired of rows) {
    const id = publicId('webhook', expired.id)
    await deleteWebhook(deps, expired.organizationId, id, (_webhook, row) => {
      // One that was renewed after it was read stays.
      if (row.expiresAt?.getTime() !== expired.expiresAt.getTime())
        throw notFound('expired webhook', id)
    }).catch(ignoreGone)
  }
  await deps.prisma.$disconnect()
  return rows.length
}

interface ExpiredWebhook {
  readonly id: string
  readonly organizationId: string
  readonly expiresAt: Date
}

/** Deleted by somebody else, or renewed. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'not_found')) throw error
}

import { SYSTEM } from '../access/actor.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import type { Pools } from '../db/pools.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError } from '../lib/errors.ts'

/** Deletes the temporary webhooks that have expired, which cancels their deliveries. Returns how many. */
export async function deleteExpiredForwarding(
  { pool }: Pick<Pools, 'pool'>,
  keyring: Keyring,
): Promise<number> {
  const { rows } = await pool.query<{ id: string; organizationId: string }>(
    `select id, organization_id as "organizationId" from posthorn.webhooks
     where forwarded_until < now() and deleted_at is null`,
  )
  if (rows.length === 0) return 0
  // Most installations have none, and the worker uses Prisma for nothing else.
  const [{ openPrisma }, { deleteWebhook }] = await Promise.all([
    import('../db/client.ts'),
    import('../webhooks/webhook.ts'),
  ])
  const deps = { prisma: openPrisma(pool), keyring, actor: SYSTEM }
  for (const { id, organizationId } of rows) {
    await deleteWebhook(deps, organizationId, publicId('webhook', id)).catch(ignoreDeleted)
  }
  await deps.prisma.$disconnect()
  return rows.length
}

/** The requests whose worker was killed. The worker of an attempt deletes its own. */
export async function deleteOldForwardedRequests(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.forwarded_requests where created_at < now() - interval '5 minutes'`,
  )
  return rowCount ?? 0
}

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'not_found')) throw error
}

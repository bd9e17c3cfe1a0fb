import { SYSTEM } from '../access/actor.ts'
import type { Sql } from '../db/client.ts'
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
    `select id, organization_id as "organizationId", forwarded_until as "forwardedUntil", expires_at as "expiresAt"
     from posthorn.webhooks
     where (forwarded_until < now() or expires_at <= now()) and deleted_at is null
     limit ${MAX_DELETED}`,
  )
  if (rows.length === 0) return 0
  // Most installations have none, and the worker uses Prisma for nothing else.
  const [{ openPrisma }, { deleteWebhook }] = await Promise.all([
    import('../db/client.ts'),
    import('../webhooks/webhook.ts'),
  ])
  const deps = { prisma: openPrisma(pool), keyring, actor: SYSTEM }
  for (const expired of rows) {
    const id = publicId('webhook', expired.id)
    await deleteWebhook(deps, expired.organizationId, id, (_webhook, row) =>
      requireSameEnd(id, expired, row),
    ).catch(ignoreGone)
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

interface ExpiredWebhook extends End {
  readonly id: string
  readonly organizationId: string
}

interface End {
  readonly forwardedUntil: Date | null
  readonly expiresAt: Date | null
}

/** A webhook that was renewed after it was read stays. */
function requireSameEnd(id: string, read: End, locked: End): void {
  const isSame =
    read.forwardedUntil?.getTime() === locked.forwardedUntil?.getTime() &&
    read.expiresAt?.getTime() === locked.expiresAt?.getTime()
  if (!isSame) throw notFound('expired webhook', id)
}

/** Deleted by somebody else, or renewed. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'not_found')) throw error
}

import type { Db } from './client.ts'
import type { Prisma } from './generated/prisma/client.ts'

/**
 * Runs a transaction that acts for one organization: row-level security hides the webhooks, secrets, keys and bulk tasks
 * of all others, unless the service runs as the owner of the tables. Every change that a tenant makes runs in such a
 * transaction, so a statement without an organization filter cannot reach another tenant's rows.
 */
export async function actForOrganization<T>(
  db: Db,
  organizationId: string,
  run: (tx: Db) => Promise<T>,
  options: { readonly isolationLevel?: Prisma.TransactionIsolationLevel } = {},
): Promise<T> {
  const runScoped = async (tx: Db) => {
    // `true` limits the setting to this transaction, so that the pooled connection does not keep it.
    await tx.$executeRaw`select set_config('posthorn.organization', ${organizationId}, true)`
    return await run(tx)
  }
  return '$transaction' in db ? await db.$transaction(runScoped, options) : await runScoped(db)
}

import type { Db } from './client.ts'
import type { Prisma } from './generated/prisma/client.ts'

/**
 * Runs a transaction that acts for one organization: row-level security then shows it the webhooks, secrets, keys and
 * recoveries of no other, where the service does not run as the owner of the tables. Every change that a tenant asks for
 * runs in one; a statement that forgot whose rows it means finds none of anybody else.
 */
export async function actForOrganization<T>(
  db: Db,
  organizationId: string,
  run: (tx: Db) => Promise<T>,
  options: { readonly isolationLevel?: Prisma.TransactionIsolationLevel } = {},
): Promise<T> {
  const runFenced = async (tx: Db) => {
    // Until the transaction ends: a connection of the pool carries it no further.
    await tx.$executeRaw`select set_config('posthorn.organization', ${organizationId}, true)`
    return await run(tx)
  }
  return '$transaction' in db ? await db.$transaction(runFenced, options) : await runFenced(db)
}

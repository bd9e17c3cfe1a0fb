import { DomainError } from '../lib/errors.ts'
import type { Db } from './client.ts'
import { joinTransaction } from './transaction.ts'

/**
 * Runs a transaction that acts for one organization: row-level security hides the webhooks, secrets, keys and bulk tasks
 * of all others, unless the service runs as the owner of the tables. Every change that a tenant makes runs in such a
 * transaction, so a statement without an organization filter cannot reach another tenant's rows. Throws `unauthenticated` if
 * the organization was deleted since the caller was authenticated: rows that it adds then could stay for good.
 */
export async function actForOrganization<T>(
  db: Db,
  organizationId: string,
  run: (tx: Db) => Promise<T>,
): Promise<T> {
  return await joinTransaction(db, async (tx) => {
    // `true` limits the setting to this transaction, so that the pooled connection does not keep it.
    const [isSet] = await tx.$queryRaw<object[]>`
      select set_config('posthorn.organization', ${organizationId}, true) where exists (
        select from posthorn.organizations where id = ${organizationId}::uuid and deleted_at is null)`
    if (!isSet) {
      const detail = 'The organization was deleted, and its API keys with it. Nothing was changed.'
      throw new DomainError('unauthenticated', detail)
    }
    return await run(tx)
  })
}

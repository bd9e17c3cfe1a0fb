import type { Sql } from '../db/client.ts'
import { EXPIRES_AT, IS_REVOKED } from './authenticate.ts'

/** Those of the API keys that are revoked or expired, by uuid. */
export async function findInactiveKeys(
  sql: Sql,
  keyIds: readonly string[],
): Promise<Map<string, 'revoked' | 'expired'>> {
  const { rows } = await sql.query<{ id: string; state: 'revoked' | 'expired' }>({
    name: 'find_inactive_keys',
    // A key without a row was deleted and counts as revoked.
    text: `
      select key.id, case when ${EXPIRES_AT} <= now() and not ${IS_REVOKED} then 'expired' else 'revoked' end as state
      from unnest($1::uuid[]) as key (id) left join posthorn.api_keys as k on k.id = key.id
      where k.id is null or ${IS_REVOKED} or ${EXPIRES_AT} <= now()`,
    values: [keyIds],
  })
  return new Map(rows.map(({ id, state }) => [id, state]))
}

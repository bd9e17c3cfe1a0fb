import pg from 'pg'
import type { Sql } from '../db/client.ts'

/**
 * Lets a role read the jobs and the backlogs of webhooks, and nothing else. The owner calls it after every migration;
 * a repeated call changes nothing.
 */
export async function grantDashboardsRole(
  sql: Sql,
  role: string,
  workerSchema: string,
): Promise<void> {
  const { rowCount } = await sql.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0) {
    throw new Error(
      `There is no role ${JSON.stringify(role)} in Postgres; deploy/roles.sql shows how to create one.`,
    )
  }
  const [name, schema] = [pg.escapeIdentifier(role), pg.escapeIdentifier(workerSchema)]
  await sql.query(`
    grant usage on schema posthorn, ${schema} to ${name};
    grant select on posthorn.webhook_backlogs, ${schema}.jobs to ${name};
    -- The view calls type_id with the privileges of the reading role.
    grant execute on function posthorn.type_id(text, uuid) to ${name}`)
}

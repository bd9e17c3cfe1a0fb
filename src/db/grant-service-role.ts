import type { Sql } from './client.ts'

/** What the service never removes a row of: partitions go whole, and the rest stays. */
const NEVER_DELETED = [
  'organizations',
  'api_keys',
  'event_types',
  'webhooks',
  'recoveries',
  'events',
  'deliveries',
  'attempts',
  'audit_log',
]

/**
 * Gives a role what it takes to run the service, and nothing with which it could change the schema or its own record in
 * the audit log. To be called by the owner, after every migration. Doing it again changes nothing.
 */
export async function grantServiceRole(sql: Sql, role: string): Promise<void> {
  await requireServiceRole(sql, role)
  const name = quoted(role)
  await sql.query(`
    grant usage on schema posthorn, graphile_worker to ${name};
    grant select, insert, update, delete on all tables in schema posthorn to ${name};
    revoke delete on ${NEVER_DELETED.map((table) => `posthorn.${table}`).join(', ')} from ${name};
    revoke update on posthorn.audit_log from ${name};
    revoke insert, update, delete on posthorn._prisma_migrations from ${name};
    grant execute on all functions in schema posthorn, graphile_worker to ${name};
    grant select, insert, update, delete on all tables in schema graphile_worker to ${name};
    revoke insert, update, delete on graphile_worker.migrations from ${name}`)
  await openJobs(sql, role)
}

/** graphile-worker shows the rows of its tables to their owner alone, until a policy says otherwise. */
async function openJobs(sql: Sql, role: string): Promise<void> {
  const { rows } = await sql.query<{ table_name: string }>(
    `select c.oid::regclass::text as table_name from pg_class as c
     where c.relnamespace = 'graphile_worker'::regnamespace and c.relrowsecurity`,
  )
  const policy = quoted(`run by ${role}`)
  for (const { table_name } of rows) {
    await sql.query(`
      drop policy if exists ${policy} on ${table_name};
      create policy ${policy} on ${table_name} to ${quoted(role)} using (true) with check (true)`)
  }
}

async function requireServiceRole(sql: Sql, role: string): Promise<void> {
  const { rows } = await sql.query<{ powers: string | null }>(
    `select case
       when rolsuper then 'is a superuser'
       when rolbypassrls then 'bypasses row-level security'
       when pg_has_role(rolname, current_user, 'member') then 'is the role that migrates, or a member of it'
     end as powers
     from pg_roles where rolname = $1`,
    [role],
  )
  const [found] = rows
  const remedy = 'deploy/roles.sql shows how to make one.'
  if (!found) throw new Error(`There is no role ${JSON.stringify(role)} in Postgres; ${remedy}`)
  if (found.powers !== null) {
    throw new Error(
      `The role ${JSON.stringify(role)} ${found.powers}, so it could do more than run the service; ${remedy}`,
    )
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

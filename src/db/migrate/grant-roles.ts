import pg from 'pg'
import { findWorkerSchema } from '../../queue/worker-schema.ts'
import type { Sql } from '../client.ts'
import { MIGRATIONS_TABLE } from './migrations.ts'

/**
 * The service deletes no row of these tables: it drops whole partitions, and the other rows stay. The deletion of an
 * organization deletes them by functions of the owner.
 */
const TABLES_WITHOUT_DELETE = [
  'organizations',
  'api_keys',
  'event_types',
  'event_type_versions',
  'webhooks',
  'bulk_tasks',
  'events',
  'event_keys',
  'deliveries',
  'attempts',
  'audit_log',
]

/**
 * Grants a role the privileges to run the service, but not to change the schema or existing audit log entries. The owner
 * calls it after every migration; a repeated call changes nothing.
 */
export async function grantServiceRole(
  sql: Sql,
  role: string,
  workerSchema: string,
): Promise<void> {
  await requireServiceRole(sql, role)
  const [name, schema] = [pg.escapeIdentifier(role), pg.escapeIdentifier(workerSchema)]
  await sql.query(`
    grant usage on schema posthorn, ${schema} to ${name};
    grant select, insert, update, delete on all tables in schema posthorn to ${name};
    revoke delete on ${TABLES_WITHOUT_DELETE.map((table) => `posthorn.${table}`).join(', ')} from ${name};
    revoke update on posthorn.audit_log from ${name};
    revoke insert, update, delete on ${MIGRATIONS_TABLE} from ${name};
    grant execute on all functions in schema posthorn to ${name}`)
  await transferWorkerTables(sql, role, workerSchema)
}

/**
 * Transfers graphile-worker's tables to the service's role: their row-level security shows rows only to the owner and its
 * members. The schema, its functions and the public view stay with the migrating role, because SQL publishing
 * runs them as that role, and the service must not be able to change them.
 */
async function transferWorkerTables(sql: Sql, role: string, workerSchema: string): Promise<void> {
  const { rows } = await sql.query<{ relation: string; isView: boolean; owner: string }>(
    `select oid::regclass::text as relation, relkind = 'v' as "isView", relowner::regrole::text as owner
     from pg_class
     where relnamespace = (select oid from pg_namespace where nspname = $1) and case
       when relkind in ('r', 'p') then not pg_has_role($2::name, relowner, 'usage')
       when relkind = 'v' then not has_table_privilege($2::name, oid, 'select')
     end
     order by 1`,
    [workerSchema, role],
  )
  const [first] = rows
  if (!first) return
  const name = pg.escapeIdentifier(role)
  const { isCreatedByPosthorn } = await findWorkerSchema(sql, workerSchema)
  if (!isCreatedByPosthorn) {
    throw new Error(
      `Another program created the schema ${workerSchema}, and ${first.owner} owns its tables, so the role ${JSON.stringify(role)} cannot run jobs there. Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own, or run \`grant ${first.owner} to ${name}\`, which gives the service all privileges of ${first.owner}.`,
    )
  }
  const schema = pg.escapeIdentifier(workerSchema)
  const changes = rows.map(({ relation, isView }) =>
    isView ? `grant select on ${relation} to ${name}` : `alter table ${relation} owner to ${name}`,
  )
  // Postgres requires the new owner of a table to have CREATE on the schema. The statements run in one transaction.
  await sql.query(`
    grant create on schema ${schema} to ${name};
    ${changes.join(';\n')};
    revoke create on schema ${schema} from ${name}`)
}

async function requireServiceRole(sql: Sql, role: string): Promise<void> {
  const { rows } = await sql.query<{ excess: string | null; isMember: boolean; migrator: string }>(
    `select case
       when rolsuper then 'is a superuser'
       when rolbypassrls then 'bypasses row-level security'
       when pg_has_role(rolname, current_user, 'member') then 'is the migrating role or a member of it'
     end as excess,
     pg_has_role(rolname, 'usage') as "isMember", current_user::regrole::text as migrator
     from pg_roles where rolname = $1`,
    [role],
  )
  const [found] = rows
  const remedy = 'deploy/roles.sql shows how to create one.'
  if (!found) throw new Error(`There is no role ${JSON.stringify(role)} in Postgres; ${remedy}`)
  if (found.excess !== null) {
    throw new Error(
      `The role ${JSON.stringify(role)} ${found.excess}, so it has more privileges than the service needs; ${remedy}`,
    )
  }
  if (!found.isMember) {
    throw new Error(
      `The role ${found.migrator} migrates the service's tables, so it must be a member of the role ${JSON.stringify(role)}. Run \`grant ${pg.escapeIdentifier(role)} to ${found.migrator}\` as the role that created it, as deploy/roles.sql does.`,
    )
  }
}

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

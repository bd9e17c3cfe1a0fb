import pg from 'pg'
import type { Sql } from '../db/client.ts'
import { findWorkerSchema } from '../queue/worker-schema.ts'
import { MIGRATIONS_TABLE } from './migrate.ts'

/** What the service never deletes a row of: partitions go whole, and the rest stays. */
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
    revoke delete on ${NEVER_DELETED.map((table) => `posthorn.${table}`).join(', ')} from ${name};
    revoke update on posthorn.audit_log from ${name};
    revoke insert, update, delete on ${MIGRATIONS_TABLE} from ${name};
    grant execute on all functions in schema posthorn to ${name}`)
  await giveWorkerTables(sql, role, workerSchema)
}

/**
 * graphile-worker shows the rows of its tables to the role that owns them and to its members alone. The schema, its
 * functions and the public view stay with the role that migrates: it runs them where it publishes in SQL, and the service
 * must not change them.
 */
async function giveWorkerTables(sql: Sql, role: string, workerSchema: string): Promise<void> {
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
      `Another program made the schema ${workerSchema}, and its tables belong to ${first.owner}, so the role ${JSON.stringify(role)} cannot run jobs there. Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own, or run \`grant ${first.owner} to ${name}\`, which gives the service all that ${first.owner} may do.`,
    )
  }
  const schema = pg.escapeIdentifier(workerSchema)
  const changes = rows.map(({ relation, isView }) =>
    isView ? `grant select on ${relation} to ${name}` : `alter table ${relation} owner to ${name}`,
  )
  // A role must be able to create in a schema when it becomes the owner of a table there. All is one transaction.
  await sql.query(`
    grant create on schema ${schema} to ${name};
    ${changes.join(';\n')};
    revoke create on schema ${schema} from ${name}`)
}

async function requireServiceRole(sql: Sql, role: string): Promise<void> {
  const { rows } = await sql.query<{ powers: string | null; isGiven: boolean; migrates: string }>(
    `select case
       when rolsuper then 'is a superuser'
       when rolbypassrls then 'bypasses row-level security'
       when pg_has_role(rolname, current_user, 'member') then 'is the role that migrates, or a member of it'
     end as powers,
     pg_has_role(rolname, 'usage') as "isGiven", current_user::regrole::text as migrates
     from pg_roles where rolname = $1`,
    [role],
  )
  const [found] = rows
  const remedy = 'deploy/roles.sql shows how to create one.'
  if (!found) throw new Error(`There is no role ${JSON.stringify(role)} in Postgres; ${remedy}`)
  if (found.powers !== null) {
    throw new Error(
      `The role ${JSON.stringify(role)} ${found.powers}, so it could do more than run the service; ${remedy}`,
    )
  }
  if (!found.isGiven) {
    throw new Error(
      `The role ${found.migrates} migrates the tables that the service works on, so it has to be a member of the role ${JSON.stringify(role)}. Run \`grant ${pg.escapeIdentifier(role)} to ${found.migrates}\` as a superuser, as deploy/roles.sql does.`,
    )
  }
}

import pg from 'pg'

/** The role of Posthorn's connections. It owns the database, and is no superuser. */
export const OWNER = 'posthorn_embedded'

/**
 * Creates the owner of the database, or gives it this password, and makes it the owner of all objects. Without the owner,
 * the database is new, or of an earlier version of Posthorn, which worked as the superuser. (`reassign owned` refuses to
 * take objects from the first superuser of a cluster.)
 */
export async function createOwner(asSuperuser: pg.Client, password: string): Promise<void> {
  await asSuperuser.query(`
    begin;
    select pg_advisory_xact_lock(hashtextextended('posthorn.owner', 0));
    do $do$
    declare
      statement text;
    begin
      if not exists (select from pg_roles where rolname = '${OWNER}') then
        create role ${OWNER};
      end if;
      for statement in ${OWNERSHIP_CHANGES} loop
        execute statement;
      end loop;
    end
    $do$;
    alter role ${OWNER} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
      password ${pg.escapeLiteral(password)};
    commit`)
}

/** Sequences of columns, row types and indexes follow their table. The parts of an extension stay with the superuser. */
const OWNERSHIP_CHANGES = `
  select format('alter %s %s owner to ${OWNER}', object.kind, object.name) from (
    select 'database', quote_ident(current_database()), 0::oid, 0::oid, datdba from pg_database
      where datname = current_database()
    union all select 'schema', oid::regnamespace::text, 'pg_namespace'::regclass, oid, nspowner from pg_namespace
      where nspname !~ '^pg_'
    union all select 'table', oid::regclass::text, 'pg_class'::regclass, oid, relowner from pg_class as c
      where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relnamespace::regnamespace::text !~ '^pg_' and not exists (
        select from pg_depend as d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
    union all select 'routine', oid::regprocedure::text, 'pg_proc'::regclass, oid, proowner from pg_proc
      where prokind <> 'a' and pronamespace::regnamespace::text !~ '^pg_'
    union all select 'type', oid::regtype::text, 'pg_type'::regclass, oid, typowner from pg_type as t
      where typtype in ('d', 'e', 'r') and typnamespace::regnamespace::text !~ '^pg_'
        or typtype = 'c' and (select relkind from pg_class where oid = t.typrelid) = 'c'
  ) as object (kind, name, class, id, owner)
  where object.owner = (select oid from pg_roles where rolname = current_user)
    and (object.kind = 'database' or object.id >= 16384)
    and not exists (
      select from pg_depend as d where d.classid = object.class and d.objid = object.id and d.deptype = 'e')`

import pg from 'pg'

/** The role of Posthorn's connections. It owns the database, and is no superuser. */
export const OWNER = 'posthorn_embedded'

/** Creates the owner of the database, or gives it this password. */
export async function createOwner(
  asSuperuser: pg.Client,
  database: string,
  password: string,
): Promise<void> {
  await asSuperuser.query(`
    begin;
    select pg_advisory_xact_lock(hashtextextended('posthorn.owner', 0));
    do $do$ begin
      if not exists (select from pg_roles where rolname = '${OWNER}') then
        create role ${OWNER};
        alter database ${database} owner to ${OWNER};
      end if;
    end $do$;
    alter role ${OWNER} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
      password ${pg.escapeLiteral(password)};
    commit`)
}

-- Creates three roles for Posthorn:
--
--   posthorn_owner       owns the tables and migrates them
--   posthorn_service     runs the service and cannot change the schema `posthorn`
--   posthorn_dashboards  reads jobs and backlogs
--
-- Put your own passwords into a copy of this file. Run it once, in Posthorn's database, as the owner of the database with
-- the right to create roles (`createrole`); it needs no superuser:
--
--   psql -v ON_ERROR_STOP=1 --single-transaction -d posthorn -f roles.sql
--
-- Other roles can then no longer create temporary tables in this database. The script prints the statement that
-- gives this right back to a role: run it for the roles of your application that create temporary tables.
--
-- Then run this, now and at every upgrade before the new version starts:
--
--   DATABASE_URL=postgres://posthorn_owner:…@host/posthorn posthorn migrate \
--     --service-role posthorn_service --dashboards-role posthorn_dashboards
--
-- Run the service with DATABASE_URL=postgres://posthorn_service:…@host/posthorn. The service starts only if the database
-- is at its version. Otherwise it names the command to run.

do $do$
begin
  -- Otherwise the grants below would only be warnings.
  if not pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    raise insufficient_privilege using message =
      format('Run this as the owner of the database %I, not as %I.', current_database(), current_user);
  end if;
end
$do$;

create role posthorn_owner login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me';
create role posthorn_service login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me too';
create role posthorn_dashboards login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me as well';

-- graphile-worker enables row-level security on its tables and defines no policy. So only the owner of these tables and
-- its members can run jobs, and `posthorn migrate --service-role` makes posthorn_service their owner. posthorn_owner is a
-- member because it migrates these tables, and because the SQL functions that publish events run as posthorn_owner and
-- add jobs. posthorn_owner keeps the worker schema and its functions, so the service cannot add code that
-- posthorn_owner would run.
grant posthorn_service to posthorn_owner;

do $do$
declare
  could_create_temporary constant name[] := array(
    select rolname from pg_roles where has_database_privilege(oid, current_database(), 'temporary')
      and rolname not in ('posthorn_service', 'posthorn_dashboards') and rolname !~ '^pg_'
  );
  remedies text;
begin
  -- posthorn_owner creates the schemas `posthorn`, `posthorn_partitions` and the one in POSTHORN_WORKER_SCHEMA.
  execute format('grant connect, create, temporary on database %I to posthorn_owner', current_database());
  execute format('grant connect on database %I to posthorn_service, posthorn_dashboards', current_database());
  -- A role that can create temporary functions could make other roles run them.
  execute format('revoke temporary on database %I from public', current_database());
  select string_agg(format('grant temporary on database %I to %I;', current_database(), role), E'\n' order by role)
  into remedies from unnest(could_create_temporary) as role
  where not has_database_privilege(role, current_database(), 'temporary');
  if remedies is not null then
    raise notice E'These roles can no longer create temporary tables here. Run the line of each that needs to:\n%', remedies;
  end if;
end
$do$;

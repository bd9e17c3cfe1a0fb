-- Two roles for Posthorn: one that owns its tables and migrates them, one that runs the service and can do neither.
--
-- Once, as a superuser, in the database that Posthorn is to live in, with passwords of your own:
--
--   psql -v ON_ERROR_STOP=1 -d posthorn -f roles.sql
--
-- Then, now and at every upgrade, before the new version starts:
--
--   DATABASE_URL=postgres://posthorn_owner:…@host/posthorn posthorn migrate --service-role posthorn_service
--
-- The service runs with DATABASE_URL=postgres://posthorn_service:…@host/posthorn. It starts while the database is at its
-- version, and says what to do when it is not.

create role posthorn_owner login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me';
create role posthorn_service login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me too';

do $do$
begin
  -- The owner makes the schemas `posthorn`, `posthorn_partitions` and `graphile_worker`.
  execute format('grant connect, create, temporary on database %I to posthorn_owner', current_database());
  execute format('grant connect on database %I to posthorn_service', current_database());
  -- In a database of Posthorn's own. Beside a host application that needs temporary tables, leave this out.
  execute format('revoke temporary on database %I from public', current_database());
end
$do$;

-- Three roles for Posthorn: one owns and migrates the tables, one runs the service and cannot change the schema, and one
-- reads the jobs and the backlogs for your dashboards.
--
-- Change the passwords below, and run this once as a superuser in Posthorn's database:
--
--   psql -v ON_ERROR_STOP=1 -d posthorn -f roles.sql
--
-- Then, and at every upgrade before the new version starts:
--
--   DATABASE_URL=postgres://posthorn_owner:…@host/posthorn posthorn migrate \
--     --service-role posthorn_service --dashboards-role posthorn_dashboards
--
-- The service runs with DATABASE_URL=postgres://posthorn_service:…@host/posthorn. If the database needs a migration, the
-- service does not start and prints the command to run.

create role posthorn_owner login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me';
create role posthorn_service login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me too';
create role posthorn_dashboards login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me as well';

-- graphile-worker enables row-level security on its tables and defines no policy, so only the role that owns them, and
-- its members, can run jobs. `posthorn migrate --service-role` makes the service's role that owner. posthorn_owner must
-- be a member of it: it migrates both sets of tables, and the SQL functions that publish events run as it and add jobs.
-- posthorn_owner keeps the worker schema and its functions, so the service cannot add code that posthorn_owner would run.
grant posthorn_service to posthorn_owner;

do $do$
begin
  -- posthorn_owner creates the schemas `posthorn`, `posthorn_partitions` and POSTHORN_WORKER_SCHEMA.
  execute format('grant connect, create, temporary on database %I to posthorn_owner', current_database());
  execute format('grant connect on database %I to posthorn_service, posthorn_dashboards', current_database());
  -- A role that may create temporary functions could make other roles run them. Grant `temporary` to the roles of a host
  -- application that need it.
  execute format('revoke temporary on database %I from public', current_database());
end
$do$;

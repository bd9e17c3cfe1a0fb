-- Creates three roles for Posthorn:
--
--   posthorn_owner       owns the tables and migrates them
--   posthorn_service     runs the service and cannot change the schema `posthorn`
--   posthorn_dashboards  reads jobs and backlogs
--
-- Put your own passwords into a copy of this file. Run it once, as a superuser, in Posthorn's database:
--
--   psql -v ON_ERROR_STOP=1 -d posthorn -f roles.sql
--
-- Then run this, now and at every upgrade before the new version starts:
--
--   DATABASE_URL=postgres://posthorn_owner:…@host/posthorn posthorn migrate \
--     --service-role posthorn_service --dashboards-role posthorn_dashboards
--
-- Run the service with DATABASE_URL=postgres://posthorn_service:…@host/posthorn. The service starts only if the database
-- is at its version. Otherwise it names the command to run.

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
begin
  -- posthorn_owner creates the schemas `posthorn`, `posthorn_partitions` and the one in POSTHORN_WORKER_SCHEMA.
  execute format('grant connect, create, temporary on database %I to posthorn_owner', current_database());
  execute format('grant connect on database %I to posthorn_service, posthorn_dashboards', current_database());
  -- A role that can create temporary functions could make other roles run them. If roles of a host application need
  -- `temporary`, grant it to each by name.
  execute format('revoke temporary on database %I from public', current_database());
end
$do$;

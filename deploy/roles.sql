-- Three roles for Posthorn: one that owns its tables and migrates them, one that runs the service and cannot change
-- them, and one that reads the jobs and the backlogs for your dashboards.
--
-- Once, as a superuser, in the database that Posthorn is to live in, with passwords of your own:
--
--   psql -v ON_ERROR_STOP=1 -d posthorn -f roles.sql
--
-- Then, now and at every upgrade, before the new version starts:
--
--   DATABASE_URL=postgres://posthorn_owner:…@host/posthorn posthorn migrate \
--     --service-role posthorn_service --dashboards-role posthorn_dashboards
--
-- The service runs with DATABASE_URL=postgres://posthorn_service:…@host/posthorn. It starts while the database is at its
-- version, and says what to do when it is not.

create role posthorn_owner login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me';
create role posthorn_service login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me too';
create role posthorn_dashboards login nosuperuser nocreatedb nocreaterole nobypassrls password 'change me as well';

-- graphile-worker enables row-level security on its tables and defines no policy: only the role that owns them, and its
-- members, can run jobs. `posthorn migrate --service-role` makes that the service's role. The owner of Posthorn's tables
-- is a member of it, for it migrates both, and the functions that publish events in SQL run as it and add jobs.
-- The worker schema itself and its functions stay the owner's. So the service can add no code that the owner would run.
grant posthorn_service to posthorn_owner;

do $do$
begin
  -- The owner creates the schemas `posthorn`, `posthorn_partitions` and that of POSTHORN_WORKER_SCHEMA.
  execute format('grant connect, create, temporary on database %I to posthorn_owner', current_database());
  execute format('grant connect on database %I to posthorn_service, posthorn_dashboards', current_database());
  -- A role that may create temporary functions could have others run them. Grant `temporary` to the roles of a host
  -- application that need it, by name.
  execute format('revoke temporary on database %I from public', current_database());
end
$do$;

#!/bin/sh
# The image of Postgres runs this when it creates the database: the roles of deploy/roles.sql, with passwords from the
# environment. They are read with \getenv, so that they are no arguments of a process.
set -eu
psql --set ON_ERROR_STOP=1 --quiet --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" <<'END'
begin;
\i /etc/posthorn/roles.sql
\getenv owner OWNER_PASSWORD
\getenv service SERVICE_PASSWORD
\getenv dashboards DASHBOARDS_PASSWORD
alter role posthorn_owner password :'owner';
alter role posthorn_service password :'service';
alter role posthorn_dashboards password :'dashboards';
commit;
END

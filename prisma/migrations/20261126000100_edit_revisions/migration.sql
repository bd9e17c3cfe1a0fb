-- Revisions of organizations and API keys, so that two people who edit the same field learn of it.

-- Counts the renames.
alter table posthorn.organizations add column revision bigint not null default 1;
-- Counts the changes of limits.
alter table posthorn.api_keys add column revision bigint not null default 1;

-- What lets the service run as a role that may not change the schema (deploy/roles.sql), and a second fence between
-- tenants for it.

-- Partitions are made and dropped with the rights of the owner, by these two functions and nothing else.
alter function posthorn.ensure_partitions(date, date) security definer set search_path = pg_catalog, pg_temp;
alter function posthorn.drop_partitions_before(date) security definer set search_path = pg_catalog, pg_temp;
revoke execute on function posthorn.ensure_partitions, posthorn.drop_partitions_before from public;

-- The organization that the transaction acts for, if it says so: `src/db/act-for.ts` does. Null: for all of them, as the
-- worker does.
create function posthorn.acting_for() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('posthorn.organization', true), '')::uuid;

-- A transaction that acts for one organization neither sees nor changes what another one set up, whatever it asks for.
-- For every role but the owner, who is past all policies. The volume (events, deliveries, attempts) has none: they
-- would be asked for every row of every statement of the worker.
alter table posthorn.webhooks enable row level security;
create policy own_organization on posthorn.webhooks
  using ((select posthorn.acting_for()) is null or organization_id = (select posthorn.acting_for()));

alter table posthorn.api_keys enable row level security;
create policy own_organization on posthorn.api_keys
  using ((select posthorn.acting_for()) is null or organization_id = (select posthorn.acting_for()));

alter table posthorn.recoveries enable row level security;
create policy own_organization on posthorn.recoveries
  using ((select posthorn.acting_for()) is null or organization_id = (select posthorn.acting_for()));

alter table posthorn.idempotency_keys enable row level security;
create policy own_organization on posthorn.idempotency_keys
  using ((select posthorn.acting_for()) is null or organization_id = (select posthorn.acting_for()));

-- Those of the webhooks that are seen.
alter table posthorn.signing_secrets enable row level security;
create policy of_seen_webhook on posthorn.signing_secrets
  using ((select posthorn.acting_for()) is null or exists (
    select from posthorn.webhooks as w where w.id = webhook_id
  ));

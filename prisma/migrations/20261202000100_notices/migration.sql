-- Notices: what Posthorn tells about itself, such as that a webhook is on hold, as operational events and by e-mail. Before,
-- a webhook on hold was silent until somebody looked at the console.

-- Both are null until an operator sets them. The links of notices lead to public_url.
alter table posthorn.settings add column public_url text;
alter table posthorn.settings add column operator_organization_id uuid
  references posthorn.organizations on delete set null;

-- The states of a webhook that notices reported, until the webhook recovers: each is reported once.
create table posthorn.reported_states (
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  type text not null,
  reported_at timestamptz not null default now(),
  primary key (webhook_id, type)
);

-- The exhausted deliveries of a webhook in the hour after a notice of one. They share the next notice.
create table posthorn.exhausted_deliveries (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  reported_at timestamptz not null default now(),
  count int not null default 0,
  data jsonb,
  constraint count_is_not_negative check (count >= 0)
);

-- Who gets notices by e-mail.
create table posthorn.notice_addresses (
  id uuid primary key default posthorn.uuid_v7(),
  -- Null: an operator's address, for the notices of all organizations.
  organization_id uuid references posthorn.organizations on delete cascade,
  email text not null,
  -- The types of the notices, such as posthorn.webhook.on_hold.
  kinds text[] not null,
  created_at timestamptz not null default now(),
  -- Since when the address gets no mail: its owner unsubscribed, or the mail server rejected it for good.
  stopped_at timestamptz,
  stop_reason text,
  -- What the mail server answered.
  rejection text,
  unique nulls not distinct (organization_id, email),
  constraint email_has_3_to_254_characters check (char_length(email) between 3 and 254),
  constraint kinds_are_not_empty check (cardinality(kinds) > 0),
  constraint stop_reason_is_known check (stop_reason in ('unsubscribed', 'rejected')),
  constraint stops_have_a_reason check ((stopped_at is null) = (stop_reason is null))
);
alter table posthorn.notice_addresses enable row level security;
create policy own_organization on posthorn.notice_addresses
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The notices for each address, until a day after they were sent. Those of one host share a mail. Written without a lock, as
-- attempts are recorded concurrently; a job of each minute finds them.
create table posthorn.notice_mails (
  id uuid primary key default posthorn.uuid_v7(),
  address_id uuid not null references posthorn.notice_addresses on delete cascade,
  -- Of the webhook. Empty for notices about API keys.
  host text not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
-- Serve: the notices that wait, and the last mail to an address about a host.
create index notice_mails_waiting on posthorn.notice_mails (address_id, host, created_at) where sent_at is null;
create index notice_mails_sent on posthorn.notice_mails (address_id, host, sent_at) where sent_at is not null;

-- Serves: the keys that expire soon.
create index api_keys_expires_at on posthorn.api_keys (expires_at) where session_kind is null;
insert into posthorn.cursors (name, reached_at) values ('expiring', now());

-- Whether an event of this operational type is published. The catalogue is the switch: without the type, there is none.
create function posthorn.publishes_notices(type text) returns boolean
  language sql stable
as $$
  select exists (
    select from posthorn.event_types as t where t.name = publishes_notices.type and t.archived_at is null)
$$;

-- The addresses that get the notices of this type about an organization.
create function posthorn.notice_recipients(organization_id uuid, type text) returns uuid[]
  language sql stable
as $$
  select array(
    select a.id from posthorn.notice_addresses as a
    where (a.organization_id = notice_recipients.organization_id or a.organization_id is null)
      and a.stopped_at is null and notice_recipients.type = any (a.kinds)
    order by a.id)
$$;

-- Tells something in the transaction that makes it true: by an event in the organization and in the operator's, and by
-- e-mail. `webhook_id` is null if the notice concerns no webhook. With the type of a state, such as posthorn.webhook.on_hold,
-- it does nothing if this state was reported since the last recovery. posthorn.webhook.recovered ends what was reported.
create or replace function posthorn.notice(organization_id uuid, webhook_id uuid, type text, data jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  state constant text := substring(notice.type from '^posthorn\.webhook\.(.*)$');
  contents jsonb := notice.data;
  ended record;
  host text;
  description text;
  is_receiver_of_notices boolean := false;
  is_published constant boolean := posthorn.publishes_notices(notice.type);
  recipients constant uuid[] := posthorn.notice_recipients(notice.organization_id, notice.type);
  targets uuid[];
begin
  if state = 'recovered' then
    with reported as (
      delete from posthorn.reported_states as r where r.webhook_id = notice.webhook_id returning r.*
    )
    select substring(r.type from '[^.]*$') as state, r.reported_at into ended
    from reported as r order by r.reported_at desc limit 1;
    if not found then
      return;
    end if;
  end if;
  if not is_published and cardinality(recipients) = 0 then
    return;
  end if;
  if state = 'recovered' then
    contents := jsonb_build_object('state', 'healthy', 'previous_state', ended.state, 'since', ended.reported_at) || contents;
  elsif state is not null then
    insert into posthorn.reported_states as r (webhook_id, type) values (notice.webhook_id, notice.type)
    on conflict do nothing;
    if not found then
      return;
    end if;
    contents := jsonb_build_object('state', state) || contents;
  end if;
  if notice.webhook_id is not null then
    select lower(substring(w.url from '^[^:]+://(\[[^]]*\]|[^/:?#]+)')), w.description,
      not exists (select from unnest(w.event_subscriptions) as name where name not like 'posthorn.%')
    into host, description, is_receiver_of_notices
    from posthorn.webhooks as w where w.id = notice.webhook_id and w.deleted_at is null;
    if not found then
      return;
    end if;
    contents := jsonb_build_object('webhook', jsonb_build_object(
      'id', posthorn.type_id('wh', notice.webhook_id), 'host', host, 'description', description)) || contents;
  end if;
  select contents
      || jsonb_build_object('organization', jsonb_build_object('id', posthorn.type_id('org', o.id), 'name', o.name))
      || jsonb_strip_nulls(jsonb_build_object('link', s.public_url || '/console/'
        || coalesce('webhooks/' || posthorn.type_id('wh', notice.webhook_id), 'api-keys'))),
    -- A receiver of operational events alone never hears of itself.
    array(
      select distinct t.id from unnest(array[o.id, s.operator_organization_id]) as t (id)
      where t.id is not null and not (is_receiver_of_notices and t.id = o.id))
  into contents, targets
  from posthorn.organizations as o, posthorn.settings as s where o.id = notice.organization_id;
  insert into posthorn.notice_mails (address_id, host, type, data)
  select id, coalesce(host, ''), notice.type, contents from unnest(recipients) as id;
  if is_published and cardinality(targets) > 0 then
    perform posthorn.insert_events(targets, array_agg(notice.type), array_agg(null::bigint), array_agg(contents::text),
      array_agg(now()), array_agg(null::text), array_agg(null::text))
    from unnest(targets);
  end if;
exception
  -- An operator has just archived the type.
  when sqlstate 'PH412' then
    return;
end
$$;

-- Reports exhausted deliveries of a webhook: the first one at once, and those of the hour afterwards together.
create function posthorn.notice_exhausted(organization_id uuid, webhook_id uuid, count int, data jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  is_first boolean;
begin
  if not posthorn.publishes_notices('posthorn.delivery.exhausted') and cardinality(
    posthorn.notice_recipients(notice_exhausted.organization_id, 'posthorn.delivery.exhausted')) = 0
  then
    return;
  end if;
  insert into posthorn.exhausted_deliveries as e (webhook_id) values (notice_exhausted.webhook_id)
  on conflict (webhook_id) do update set count = e.count + notice_exhausted.count, data = notice_exhausted.data
  returning e.count = 0 into is_first;
  if is_first then
    perform posthorn.notice(notice_exhausted.organization_id, notice_exhausted.webhook_id,
      'posthorn.delivery.exhausted', notice_exhausted.data || jsonb_build_object('count', notice_exhausted.count));
  end if;
end
$$;

-- Reports the exhausted deliveries of the hours that are over, of up to 100 webhooks. Returns for how many webhooks.
create function posthorn.notice_more_exhausted() returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item record;
  webhooks int := 0;
begin
  for item in
    select e.*, w.organization_id
    from posthorn.exhausted_deliveries as e join posthorn.webhooks as w on w.id = e.webhook_id
    where e.reported_at <= now() - interval '1 hour'
    order by e.webhook_id limit 100 for update of e skip locked
  loop
    webhooks := webhooks + 1;
    if item.count = 0 then
      delete from posthorn.exhausted_deliveries as e where e.webhook_id = item.webhook_id;
    else
      update posthorn.exhausted_deliveries as e set reported_at = now(), count = 0 where e.webhook_id = item.webhook_id;
      perform posthorn.notice(item.organization_id, item.webhook_id, 'posthorn.delivery.exhausted',
        item.data || jsonb_build_object('count', item.count));
    end if;
  end loop;
  return webhooks;
end
$$;

-- Reports once each API key that expires within 7 days, and each old signing secret that expires within 4 hours. What was
-- created with less time left is not reported.
create function posthorn.notice_expiring() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  reported_until timestamptz;
  item record;
begin
  update posthorn.cursors as c set reached_at = now()
  from (select name, reached_at from posthorn.cursors where name = 'expiring' for update skip locked) as before
  where c.name = before.name returning before.reached_at into reported_until;
  if not found then
    return;
  end if;
  for item in
    select k.organization_id, k.id, k.name, k.token_hint, k.scopes, k.expires_at from posthorn.api_keys as k
    where k.session_kind is null and k.revoked_at is null
      and k.expires_at > reported_until + interval '7 days' and k.expires_at <= now() + interval '7 days'
    order by k.id
  loop
    perform posthorn.notice(item.organization_id, null, 'posthorn.api_key.expiring',
      posthorn.api_key_notice(item.id, item.name, item.token_hint, item.scopes, item.expires_at));
  end loop;
  for item in
    select w.organization_id, s.webhook_id, s.expires_at
    from posthorn.signing_secrets as s join posthorn.webhooks as w on w.id = s.webhook_id
    where s.expires_at > reported_until + interval '4 hours' and s.expires_at <= now() + interval '4 hours'
    order by s.id
  loop
    perform posthorn.notice(item.organization_id, item.webhook_id, 'posthorn.secret.expiring',
      jsonb_build_object('expires_at', item.expires_at));
  end loop;
end
$$;

-- What a notice says of an API key.
create function posthorn.api_key_notice(id uuid, name text, token_hint text, scopes text[], expires_at timestamptz)
  returns jsonb
  language sql stable
as $$
  select jsonb_build_object('api_key', jsonb_build_object('id', posthorn.type_id('key', api_key_notice.id),
    'name', api_key_notice.name, 'token_hint', api_key_notice.token_hint, 'scopes', api_key_notice.scopes,
    'expires_at', api_key_notice.expires_at))
$$;

-- No function is public.
revoke execute on function posthorn.publishes_notices(text),
  posthorn.notice_recipients(uuid, text), posthorn.notice(uuid, uuid, text, jsonb),
  posthorn.notice_exhausted(uuid, uuid, int, jsonb), posthorn.notice_more_exhausted(), posthorn.notice_expiring(),
  posthorn.api_key_notice(uuid, text, text, text[], timestamptz) from public;

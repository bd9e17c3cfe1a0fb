-- A notice says in words what happened, and how urgent it is, so that a template can put both into a message. Before, each
-- receiver of notices had to know the types.

-- What the data of a notice says beside its facts: `summary`, a sentence, and `alert`, for programs that page people. A notice
-- that resolves has the key of those that it ends.
create function posthorn.notice_words(type text, data jsonb) returns jsonb
  language plpgsql stable
as $$
declare
  thing constant text := case
    when data ? 'webhook' then concat('The webhook ', coalesce(nullif(trim(data #>> '{webhook,description}'), ''),
      data #>> '{webhook,id}'), ' at ', data #>> '{webhook,host}')
    else concat('The API key ', coalesce(nullif(trim(data #>> '{api_key,name}'), ''), data #>> '{api_key,token_hint}')) end;
  words constant text := case notice_words.type
    when 'posthorn.webhook.degraded' then 'is degraded: a share of its deliveries fails'
    when 'posthorn.webhook.behind' then 'is behind: its deliveries wait for too long'
    when 'posthorn.webhook.failing' then 'is failing: its last attempts failed'
    when 'posthorn.webhook.on_hold' then 'is on hold: its deliveries wait until the endpoint responds again'
    when 'posthorn.webhook.recovered' then 'has recovered'
    when 'posthorn.delivery.exhausted' then case when (data ->> 'count')::int > 1
      then concat('has ', data ->> 'count', ' deliveries whose attempts all failed')
      else 'has a delivery whose attempts all failed' end
    when 'posthorn.secret.rotated' then 'has a new signing secret'
    when 'posthorn.secret.expiring' then 'has an old signing secret that expires within 4 hours'
    when 'posthorn.api_key.created' then 'was created'
    when 'posthorn.api_key.expiring' then 'expires within 7 days'
    else concat('has the notice ', notice_words.type) end;
  severity constant text := case
    when notice_words.type = 'posthorn.webhook.on_hold' then 'critical'
    when notice_words.type in ('posthorn.webhook.failing', 'posthorn.delivery.exhausted') then 'error'
    when notice_words.type in ('posthorn.webhook.recovered', 'posthorn.secret.rotated', 'posthorn.api_key.created') then 'info'
    else 'warning' end;
  key constant text := coalesce(data #>> '{webhook,id}', data #>> '{api_key,id}', 'posthorn');
begin
  return jsonb_build_object(
    'summary', concat(thing, ' ', words, '.'),
    'alert', jsonb_build_object(
      'action', case notice_words.type when 'posthorn.webhook.recovered' then 'resolve' else 'trigger' end,
      'severity', severity,
      'key', case when notice_words.type like 'posthorn.webhook.%' then key else concat(key, ' ', notice_words.type) end));
end
$$;

-- As before, with these words.
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
  contents := contents || posthorn.notice_words(notice.type, contents);
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

-- No function is public.
revoke execute on function posthorn.notice_words(text, jsonb) from public;

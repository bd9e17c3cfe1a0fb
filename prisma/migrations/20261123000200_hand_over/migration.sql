-- The jobs of an event that a process publishes are taken for its own worker as they are made, as far as that has room.
-- So it begins with them when they are committed, and knows what it would have to ask for: of the statements that an event
-- costs when it comes alone, there is none that fetches its jobs and none that loads its deliveries.

do $do$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  -- How each number of ten bits is written.
  pairs constant text := (
    select string_agg(substr(alphabet, high, 1) || substr(alphabet, low, 1), '' order by high, low)
    from generate_series(1, 32) as high, generate_series(1, 32) as low
  );
  -- The last six characters of a TypeID, for the last thirty bits of its uuid.
  written constant text := $$
    encode(
      substring(pairs from 1 + 2 * (%1$s >> 20) for 2) || substring(pairs from 1 + 2 * (%1$s >> 10 & 1023) for 2)
        || substring(pairs from 1 + 2 * (%1$s & 1023) for 2),
      'escape')$$;
begin
  execute format($create$
-- Stores events, matches them to the enabled webhooks of their organizations, and owes each match a delivery with a
-- job: due at once or, where the webhook has a line, at its end. The arrays of events run in parallel, one element an
-- event; `data` is JSON text and is kept to the letter. The caller has checked types, sizes and schemas: by the types in
-- `known_types`, whose rows had the `xmin` in `known_versions`. Where one of them is not there or not as it was, it raises
-- PH412. Answers one row an event, in the order given; a repeated idempotency key answers with the event of its first
-- use, and no deliveries. A key that was used for another event raises PH409. Whatever it raises, nothing is stored.
--
-- Where `taken_by` names a pool of workers, the jobs of the first `take` deliveries are taken for it as they are made, but
-- not those that wait in a line, as all do that are held back: nobody is told of them, and the caller is answered what an
-- attempt of each needs to know. The arrays of an event's taken deliveries run in parallel; they, and the body, are null
-- where there are none.
--
-- Deliveries are made event by event, whatever the plan, as that is the order in which their jobs are taken. They are
-- numbered from 2^29 on and events from 2^28, so that no two ids are the same.
create function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  known_types text[],
  known_versions text[],
  taken_by text,
  take int
)
returns table (
  ordinal int, event_id uuid, delivery_count int, repeated boolean, body text, job_ids bigint[], delivery_ids uuid[],
  webhook_ids uuid[], revisions bigint[]
)
  language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  pairs constant bytea := %1$L::bytea;
  events_from constant int := 1 << 28;
  deliveries_from constant int := 1 << 29;
  -- What the ids share: as the first 24 digits of a uuid, and as the first 20 characters of a TypeID.
  digits constant text := left(replace(posthorn.uuid_v7()::text, '-', ''), 24);
  letters constant text := substr(posthorn.type_id('', (digits || '00000000')::uuid), 2, 20);
  task int := (select t.id from graphile_worker._private_tasks as t where t.identifier = 'deliver');
  -- Of the events with a key. The others have those of their numbers, and none is repeated.
  first_ids uuid[];
  repetitions boolean[];
  conflicts int[] := '{}';
  item record;
  first_use record;
  -- The number of the event of each delivery.
  owing int[];
  due bigint;
  lined uuid[];
  outdated bigint;
  counted int := 0;
  -- Of the deliveries whose jobs are taken: the numbers of their events, and what is answered of them.
  taking int[];
  taken_jobs bigint[];
  taken_deliveries uuid[];
  taken_webhooks uuid[];
  taken_revisions bigint[];
  -- Of all that is stored, in the order given; null where nothing is taken.
  bodies text[];
  stored_before int := 0;
  taken_before int := 0;
  taken_until int := 0;
begin
  if task is null then
    -- Before any worker has begun.
    insert into graphile_worker._private_tasks (identifier) values ('deliver') on conflict do nothing;
    task := (select t.id from graphile_worker._private_tasks as t where t.identifier = 'deliver');
  end if;

  if cardinality(array_remove(idempotency_keys, null)) > 0 then
    -- In the order of the keys, so that two batches that share some never wait for each other in a circle.
    for item in
      select i, organization_ids[i] as organization_id, idempotency_keys[i] as key,
        sha256(convert_to(types[i] || E'\n' || data[i], 'UTF8')) as request_hash,
        (digits || to_hex(events_from + i))::uuid as id
      from generate_subscripts(types, 1) as i
      where idempotency_keys[i] is not null
      order by 2, 3, 1
    loop
      insert into posthorn.idempotency_keys as kept (organization_id, operation, key, request_hash, resource_id)
      values (item.organization_id, 'publishEvent', item.key, item.request_hash, item.id)
      on conflict (organization_id, operation, key) do update
        set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = now()
        where kept.created_at < now() - interval '24 hours';
      if not found then
        select k.resource_id, k.request_hash into first_use from posthorn.idempotency_keys as k
        where k.organization_id = item.organization_id and k.operation = 'publishEvent' and k.key = item.key;
        first_ids[item.i] := first_use.resource_id;
        repetitions[item.i] := true;
        if first_use.request_hash <> item.request_hash then
          conflicts := conflicts || (item.i - 1);
        end if;
      end if;
    end loop;
    if cardinality(conflicts) > 0 then
      raise exception using errcode = 'PH409', detail = to_json(conflicts)::text, message = format(
        'events[%%s].idempotencyKey: it was used for another event in the last 24 hours. Use a new key for a new event.',
        conflicts[1]);
    end if;
  end if;

  with stored as (
    insert into posthorn.events (id, organization_id, type, occurred_at, body, trace_parent)
    select (digits || to_hex(given.number))::uuid, given.organization_id, given.type, given.occurred_at,
      '{"id":"evt_' || letters || %2$s || '","type":"' || given.type || '","timestamp":"'
        || to_char(given.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","data":' || given.data || '}',
      given.trace_parent
    from (
      select events_from + given.i::int as number, given.*
      from unnest(organization_ids, types, data, occurred_at, trace_parents) with ordinality
        as given (organization_id, type, data, occurred_at, trace_parent, i)
      where repetitions[given.i] is not true
      offset 0
    ) as given
    returning id, body
  ),
  matched as materialized (
    select matched.*, (digits || to_hex(matched.number))::uuid as id, 'msg_' || letters || %3$s as name,
      matched.number <= deliveries_from + take and not matched.waits as taken
    from (
      select given.i::int as i, (digits || to_hex(events_from + given.i::int))::uuid as event_id, given.organization_id,
        given.type, w.id as webhook_id, w.revision, w.ordered, w.ordered or flow.line_since is not null as waits,
        deliveries_from + (row_number() over (order by given.i, w.id))::int as number
      from unnest(organization_ids, types) with ordinality as given (organization_id, type, i)
      -- Looked up by an index, whatever the planner expects: `offset 0` keeps the conditions inside.
      join lateral (
        select w.id, w.revision, w.ordered from posthorn.webhooks as w
        where w.organization_id = given.organization_id and w.deleted_at is null and w.enabled
          and given.type = any (w.event_subscriptions)
        offset 0
      ) as w on true
      left join lateral (
        select f.line_since from posthorn.webhook_flows as f where f.webhook_id = w.id offset 0
      ) as flow on true
      where repetitions[given.i] is not true
    ) as matched
  ),
  owed as (
    insert into posthorn.deliveries
      (id, organization_id, webhook_id, event_id, event_type, next_attempt_at, waiting_since)
    select m.id, m.organization_id, m.webhook_id, m.event_id, m.type,
      case when not m.waits then now() end, case when m.waits then now() end
    from matched as m
  ),
  -- In the order in which they were matched, as all that reads them. There is none under their keys yet, so they are
  -- written as `graphile_worker.add_jobs` writes new ones.
  jobs as (
    insert into graphile_worker._private_jobs (task_id, payload, run_at, key, attempts, locked_by, locked_at)
    select task, json_build_object('deliveryId', m.name), case when m.waits then posthorn.never() else now() end, m.name,
      case when m.taken then 1 else 0 end, case when m.taken then taken_by end, case when m.taken then now() end
    from matched as m
    returning id, key, locked_by
  )
  select array_agg(m.i order by m.i), count(*) filter (where not (m.waits or m.taken)),
    array_agg(m.webhook_id) filter (where m.waits and m.ordered),
    array_agg(m.i order by m.number) filter (where m.taken), array_agg(m.id order by m.number) filter (where m.taken),
    array_agg(m.webhook_id order by m.number) filter (where m.taken),
    array_agg(m.revision order by m.number) filter (where m.taken),
    -- Their keys are in the order of their numbers, as they differ in the last characters alone.
    (select array_agg(j.id order by j.key collate "C") from jobs as j where take > 0 and j.locked_by is not null),
    (select array_agg(s.body order by s.id) from stored as s where take > 0),
    (select count(posthorn.refuse_outdated(known.name)) from unnest(known_types, known_versions) as known (name, version)
      where known.version is distinct from (
        select t.xmin::text from posthorn.event_types as t where t.name = known.name and t.archived_at is null))
  into owing, due, lined, taking, taken_deliveries, taken_webhooks, taken_revisions, taken_jobs, bodies, outdated
  from matched as m;

  if due > 0 then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', due)::text);
  end if;
  if lined is not null then
    -- The first in an empty line must not wait for somebody to look: a webhook that takes one at a time always has one.
    perform graphile_worker.add_job('release_waiting_deliveries',
      payload := json_build_object('webhookId', posthorn.type_id('wh', webhook_id)))
    from (select distinct unnest(lined) as webhook_id) as ordered;
  end if;

  for i in 1 .. cardinality(types) loop
    ordinal := i - 1;
    event_id := coalesce(first_ids[i], (digits || to_hex(events_from + i))::uuid);
    delivery_count := 0;
    repeated := coalesce(repetitions[i], false);
    while owing[counted + 1] = i loop
      counted := counted + 1;
      delivery_count := delivery_count + 1;
    end loop;
    if taking is not null then
      taken_before := taken_until;
      while taking[taken_until + 1] = i loop
        taken_until := taken_until + 1;
      end loop;
      if not repeated then
        stored_before := stored_before + 1;
      end if;
      if taken_until > taken_before then
        body := bodies[stored_before];
        job_ids := taken_jobs[taken_before + 1 : taken_until];
        delivery_ids := taken_deliveries[taken_before + 1 : taken_until];
        webhook_ids := taken_webhooks[taken_before + 1 : taken_until];
        revisions := taken_revisions[taken_before + 1 : taken_until];
      else
        body := null;
        job_ids := null;
        delivery_ids := null;
        webhook_ids := null;
        revisions := null;
      end if;
    end if;
    return next;
  end loop;
end
$function$
  $create$,
    pairs,
    format(written, 'given.number'),
    format(written, 'matched.number'));
end
$do$;
revoke execute on function posthorn.insert_events(
  uuid[], text[], text[], timestamptz[], text[], text[], text[], text[], text, int) from public;

-- For SQL, whose function with six arguments calls it, and for processes of the release before.
create or replace function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  known_types text[],
  known_versions text[]
)
returns table (ordinal int, event_id uuid, delivery_count int, repeated boolean)
  language plpgsql
as $$
begin
  return query select stored.ordinal, stored.event_id, stored.delivery_count, stored.repeated
    from posthorn.insert_events(
      organization_ids, types, data, occurred_at, idempotency_keys, trace_parents, known_types, known_versions, null, 0
    ) as stored;
end
$$;

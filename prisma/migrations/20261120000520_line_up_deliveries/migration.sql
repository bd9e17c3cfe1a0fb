-- One slow receiver delays nobody: the deliveries of a webhook that is over its cap or its rate, held by its breaker,
-- or takes one at a time, wait in line and are released as there is room. A line is moved into, and out of, in single
-- statements; its jobs stay visible with a time that never comes, and no worker fetches them in vain.

-- What keeps the deliveries of a webhook from going out as they come. Most webhooks have no row.
create table posthorn.webhook_flows (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  -- Since when new deliveries are made waiting, behind those that wait already. Null: they are due at once.
  line_since timestamptz,
  -- When the line was found empty. Publishers that still saw it may add to it for a moment more.
  line_ended_at timestamptz,
  -- The first moment that the webhook's rate limit has not given to a delivery yet.
  next_slot_at timestamptz,
  -- The delivery whose turn it is, of a webhook that takes one at a time.
  turn_delivery_id uuid,
  -- Since when the breaker holds its deliveries back, which of them may go out as the probe, and when the next one does.
  held_since timestamptz,
  probe_delivery_id uuid,
  next_probe_at timestamptz,
  probe_count int not null default 0,
  -- Since when the line is released at a rate that grows, and how many were.
  ramp_since timestamptz,
  ramp_released int not null default 0,
  constraint held_means_in_line check (held_since is null or line_since is not null),
  constraint probed_only_while_held check (next_probe_at is null or held_since is not null)
) with (fillfactor = 50);
-- Serves: the lines that may be released.
create index webhook_flows_lines on posthorn.webhook_flows (webhook_id)
  where line_since is not null or line_ended_at is not null;

-- The moment that the rate limit of its webhook gave to a delivery, which is released shortly before.
alter table posthorn.deliveries add column slot_at timestamptz;

-- How many attempts failed since one succeeded; what the breaker looks at.
alter table posthorn.webhook_conditions add column consecutive_failures int not null default 0;

-- Whether a person asked for it, by redelivering it or as a test: then it stands before all others in line.
alter table posthorn.deliveries add column goes_first boolean not null default false;

-- A line is in the order of events, also where a delivery was made later than that of an event after it.
drop index posthorn.deliveries_waiting;
-- Serves: releasing what waits for a webhook.
create index deliveries_waiting on posthorn.deliveries (webhook_id, goes_first desc, event_id)
  where waiting_since is not null;

-- Whether what a webhook is owed from now on waits in line.
create function posthorn.has_line(wanted_webhook uuid) returns boolean
  language sql stable
begin atomic
  select w.ordered or exists (
    select from posthorn.webhook_flows as f where f.webhook_id = w.id and f.line_since is not null
  )
  from posthorn.webhooks as w where w.id = wanted_webhook;
end;

-- Puts the due deliveries of a webhook in line whose jobs no worker has taken, oldest first, at most so many. Answers
-- how many. Deliveries before the bookmark of `mark_lingering_deliveries` are found in the index of states.
create function posthorn.set_due_aside(wanted_webhook uuid, at_most int) returns int
  language plpgsql
as $$
declare
  fresh_from constant uuid := (
    select reached_id from posthorn.bookmarks where name = 'lingering deliveries'
  );
  moved int;
begin
  insert into posthorn.webhook_flows as f (webhook_id, line_since) values (wanted_webhook, now())
  on conflict (webhook_id) do update set line_since = coalesce(f.line_since, now()), line_ended_at = null;
  with due as (
    (
      select d.id from posthorn.deliveries as d
      where d.webhook_id = wanted_webhook and d.listed_state = 'pending' and d.waiting_since is null
        and d.next_attempt_at <= now()
      order by d.id limit at_most
    )
    union
    (
      select d.id from posthorn.deliveries as d
      where d.webhook_id = wanted_webhook and d.id >= fresh_from and d.state = 'pending' and d.waiting_since is null
        and d.next_attempt_at <= now()
      order by d.id limit at_most
    )
  ),
  untaken as (
    select job.id as job_id, due.id as delivery_id
    from due join posthorn.deliveries as d on d.id = due.id
    join graphile_worker._private_jobs as job on job.key = posthorn.type_id('msg', due.id)
    where job.locked_at is null
    order by due.id limit at_most
    -- Never waits for either: others take the delivery first and then its job.
    for update of d, job skip locked
  ),
  aside as (
    update posthorn.deliveries as d set waiting_since = now(), next_attempt_at = null, slot_at = null
    from untaken where d.id = untaken.delivery_id and d.state = 'pending'
    returning untaken.job_id
  )
  select count(moved_job.id) into moved
  from (
    select (graphile_worker.reschedule_jobs(array_agg(aside.job_id), run_at := posthorn.never())).id
    from aside having count(*) > 0
  ) as moved_job;
  return moved;
end
$$;

-- Gives the next moments that rate limits allow: for each webhook at most as many as are wanted, and none later than a
-- second from now. Answers how many, and how long it is until the first; the others follow at the rate. A webhook with a
-- line gives none here, as what stands in line comes first, but for those that were released from it and came too late.
create function posthorn.take_slots(webhook_ids uuid[], released boolean[], wanted int[], rates int[])
  returns table (webhook_id uuid, was_released boolean, granted int, first_in_ms float8)
  language plpgsql
as $$
#variable_conflict use_column
declare
  asked record;
  flow posthorn.webhook_flows;
begin
  for asked in
    select w.id, w.released, w.n, w.rate from unnest(webhook_ids, released, wanted, rates) as w (id, released, n, rate)
    order by w.id, w.released desc
  loop
    insert into posthorn.webhook_flows (webhook_id) values (asked.id) on conflict do nothing;
    select f.* into flow from posthorn.webhook_flows as f where f.webhook_id = asked.id for update;
    webhook_id := asked.id;
    was_released := asked.released;
    if flow.line_since is not null and not asked.released then
      granted := 0;
      first_in_ms := 0;
    else
      flow.next_slot_at := greatest(flow.next_slot_at, clock_timestamp());
      granted := posthorn.slots_within_a_second(flow.next_slot_at, asked.n, asked.rate);
      first_in_ms := 1000 * extract(epoch from flow.next_slot_at - clock_timestamp());
      update posthorn.webhook_flows as f
      set next_slot_at = flow.next_slot_at + granted * interval '1 second' / asked.rate
      where f.webhook_id = asked.id;
    end if;
    return next;
  end loop;
end
$$;

-- How many of the slots that follow each other at a rate from `first_at` on lie within the next second.
create function posthorn.slots_within_a_second(first_at timestamptz, wanted int, rate int) returns int
  language sql volatile
  return greatest(0, least(wanted,
    1 + floor(extract(epoch from clock_timestamp() + interval '1 second' - first_at) * rate)::int));

-- Makes the next deliveries of a webhook's line due, in the order of their events: as many as are wanted, and as its
-- switch, its breaker, its turn, its ramp and its rate limit let through. Answers how many. A line that another process
-- is releasing is left to that one; a line that is found empty ends.
create function posthorn.release_waiting(wanted_webhook uuid, wanted int) returns int
  language plpgsql
as $$
declare
  flow posthorn.webhook_flows;
  webhook posthorn.webhooks;
  allowed int := wanted;
  ids uuid[];
  slots timestamptz[];
  first_slot timestamptz;
begin
  insert into posthorn.webhook_flows (webhook_id, line_since) values (wanted_webhook, now()) on conflict do nothing;
  select * into flow from posthorn.webhook_flows where webhook_id = wanted_webhook for update skip locked;
  if not found then
    return 0;
  end if;
  select * into webhook from posthorn.webhooks where id = wanted_webhook;
  if not webhook.enabled or flow.held_since is not null then
    return 0;
  end if;
  if webhook.ordered then
    if exists (
      select from posthorn.deliveries as d
      where d.id = flow.turn_delivery_id and d.state = 'pending' and (
        d.waiting_since is null
        -- Somebody redelivers it while it is under way.
        or exists (
          select from graphile_worker._private_jobs as job
          where job.key = posthorn.type_id('msg', d.id) and job.locked_at is not null
        )
      )
    ) then
      return 0;
    end if;
    allowed := least(allowed, 1);
  end if;
  if flow.ramp_since is not null then
    allowed := least(allowed, posthorn.ramp_allowance(clock_timestamp() - flow.ramp_since) - flow.ramp_released);
  end if;
  if webhook.rate_limit_per_second is not null then
    first_slot := greatest(flow.next_slot_at, clock_timestamp());
    allowed := posthorn.slots_within_a_second(first_slot, allowed, webhook.rate_limit_per_second);
  end if;
  if allowed <= 0 then
    return 0;
  end if;

  ids := array(
    select id from posthorn.deliveries
    where webhook_id = wanted_webhook and waiting_since is not null
    order by goes_first desc, event_id limit allowed
    for update
  );
  if webhook.rate_limit_per_second is not null then
    slots := array(
      select first_slot + (i - 1) * interval '1 second' / webhook.rate_limit_per_second
      from generate_subscripts(ids, 1) as i
    );
  end if;
  update posthorn.deliveries as d set waiting_since = null, next_attempt_at = coalesce(released.slot, now()),
    slot_at = released.slot
  from unnest(ids, slots) as released (id, slot) where d.id = released.id;
  perform posthorn.add_deliver_jobs(ids, array_fill(now(), array[cardinality(ids)])) where cardinality(ids) > 0;

  update posthorn.webhook_flows set
    turn_delivery_id = case when webhook.ordered then coalesce(ids[1], turn_delivery_id) end,
    next_slot_at = coalesce(
      first_slot + cardinality(ids) * interval '1 second' / webhook.rate_limit_per_second, next_slot_at),
    ramp_released = ramp_released + cardinality(ids),
    ramp_since = case when cardinality(ids) = allowed then ramp_since end,
    -- One that had ended begins again where there may be more in it: else nobody would look.
    line_since = case when cardinality(ids) = allowed then coalesce(line_since, now()) end,
    line_ended_at = case when cardinality(ids) < allowed then coalesce(line_ended_at, now()) end
  where webhook_id = wanted_webhook;
  return cardinality(ids);
end
$$;

-- How many deliveries a webhook that was held gets in all, so long after its release: 10 in the first second, twice as
-- many in each that follows, and after half a minute as many as it takes.
create function posthorn.ramp_allowance(since interval) returns int
  language sql immutable parallel safe
  return case when since < interval '30 seconds' and extract(epoch from since) < 20
    then 1 + floor(10 * (2 ^ extract(epoch from since) - 1))::int
    else 1000000000 end;

-- Holds what a webhook is owed back, from a moment on. Answers whether it was not held before.
create function posthorn.hold_webhook(wanted_webhook uuid, at timestamptz, first_probe_at timestamptz) returns boolean
  language plpgsql
as $$
declare
  began boolean;
begin
  insert into posthorn.webhook_flows (webhook_id) values (wanted_webhook) on conflict do nothing;
  update posthorn.webhook_flows as f set held_since = at, next_probe_at = first_probe_at, probe_count = 0,
    probe_delivery_id = null, line_since = coalesce(f.line_since, now()), line_ended_at = null,
    ramp_since = null, ramp_released = 0
  where f.webhook_id = wanted_webhook and f.held_since is null
    and exists (select from posthorn.webhooks as w where w.id = wanted_webhook and w.enabled);
  began := found;
  return began;
end
$$;

-- Sends the next probe of a held webhook whose time has come: the delivery whose turn it is, or the oldest in line.
-- Answers whether there was one.
create function posthorn.release_probe(wanted_webhook uuid, at timestamptz, next_at timestamptz) returns boolean
  language plpgsql
as $$
declare
  flow posthorn.webhook_flows;
  probe uuid;
begin
  select * into flow from posthorn.webhook_flows
  where webhook_id = wanted_webhook and next_probe_at <= at for update skip locked;
  if not found then
    return false;
  end if;
  -- Does not wait for who redelivers one, which takes the delivery first and then the line. It is tried again soon.
  select id into probe from posthorn.deliveries where id = flow.turn_delivery_id and state = 'pending' for update nowait;
  if not found then
    select id into probe from posthorn.deliveries
    where webhook_id = wanted_webhook and waiting_since is not null
    order by goes_first desc, event_id limit 1
    for update nowait;
  end if;
  if probe is null then
    return false;
  end if;
  update posthorn.deliveries set waiting_since = null, next_attempt_at = now() where id = probe;
  perform posthorn.add_deliver_jobs(array[probe], array[now()]);
  update posthorn.webhook_flows set probe_delivery_id = probe, probe_count = probe_count + 1, next_probe_at = next_at
  where webhook_id = wanted_webhook;
  return true;
exception when lock_not_available then
  return false;
end
$$;

-- Ends a hold: what is in line goes out at a rate that grows. Answers whether the webhook was held.
create function posthorn.end_hold(wanted_webhook uuid) returns boolean
  language plpgsql
as $$
declare
  ended boolean;
begin
  update posthorn.webhook_flows set held_since = null, next_probe_at = null, probe_delivery_id = null, probe_count = 0,
    ramp_since = clock_timestamp(), ramp_released = 0
  where webhook_id = wanted_webhook and held_since is not null;
  ended := found;
  update posthorn.webhook_conditions set consecutive_failures = 0 where webhook_id = wanted_webhook and ended;
  return ended;
end
$$;

-- What was never needed, or is over: rows that say nothing. And lines that nobody would look at, which a publisher with
-- an old snapshot may have left behind, are found again.
create function posthorn.tidy_webhook_flows() returns int
  language plpgsql
as $$
declare
  forgotten int;
begin
  delete from posthorn.webhook_flows
  where webhook_id in (
    select f.webhook_id from posthorn.webhook_flows as f
    where (f.line_since is null and f.held_since is null
      and (f.line_ended_at is null or f.line_ended_at < now() - interval '1 minute')
      and (f.next_slot_at is null or f.next_slot_at < now() - interval '1 minute')
      -- With limits, so that they are looked up one by one, whatever the planner expects.
      and (
        select d.id from posthorn.deliveries as d
        where d.webhook_id = f.webhook_id and d.waiting_since is not null limit 1
      ) is null
      and (
        select d.id from posthorn.deliveries as d where d.id = f.turn_delivery_id and d.state = 'pending' limit 1
      ) is null)
      -- One that a worker opened just when the webhook was deleted.
      or exists (select from posthorn.webhooks as w where w.id = f.webhook_id and w.deleted_at is not null)
    for update of f skip locked
  );
  -- Each webhook with a line once, by skipping from one to the next.
  with recursive lined as (
    (select d.webhook_id from posthorn.deliveries as d where d.waiting_since is not null order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from posthorn.deliveries as d
      where d.waiting_since is not null and d.webhook_id > lined.webhook_id order by d.webhook_id limit 1
    )
    from lined where lined.webhook_id is not null
  )
  insert into posthorn.webhook_flows as f (webhook_id, line_since)
  select lined.webhook_id, now() from lined join posthorn.webhooks as w on w.id = lined.webhook_id and w.deleted_at is null
  -- Even an upsert that changes nothing would lock the row, and keep it from being released.
  where not exists (
    select from posthorn.webhook_flows as f
    where f.webhook_id = lined.webhook_id and (f.line_since is not null or f.line_ended_at is not null)
  )
  on conflict (webhook_id) do update set line_since = now()
    where f.line_since is null and f.line_ended_at is null;
  get diagnostics forgotten = row_count;
  return forgotten;
end
$$;

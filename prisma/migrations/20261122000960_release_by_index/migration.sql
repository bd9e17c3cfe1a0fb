-- What is next in a line is found by its index, whatever the planner knows. Where it expected few, it read and sorted the
-- whole line to release 20: 25 ms with 20,000 in it, and ever more with more, until the table was analyzed.

-- Makes the next deliveries of a webhook's line due, in the order of their events: as many as are wanted, and as its
-- switch, its breaker, its turn, its ramp and its rate limit let through. Answers how many. A line that another process
-- is releasing is left to that one; a line that is found empty ends.
create or replace function posthorn.release_waiting(wanted_webhook uuid, wanted int) returns int
  language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
  set enable_sort = off
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
  from unnest(ids, slots) as released (id, slot)
  -- Said twice, so that each is looked up by its id, whatever the planner expects.
  where d.id = released.id and d.id = any (ids);
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

alter function posthorn.release_probe(uuid, timestamptz, timestamptz)
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
  set enable_sort = off;

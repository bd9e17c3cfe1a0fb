-- The queue: the jobs of deliveries and other tasks in graphile-worker, and the workers that run them.
--
-- The functions whose comment begins with "Calls graphile-worker." use graphile-worker's functions and view without a
-- schema name. `posthorn migrate` sets their search_path to POSTHORN_WORKER_SCHEMA (src/queue/worker-schema.ts). They
-- use only the SQL functions and the view that graphile-worker documents.

-- The worker runners of all processes. A runner with a late heartbeat is dead, and its jobs are rescued.
create table posthorn.workers (
  -- The id of the runner's pool in graphile-worker; also in `locked_by` of its jobs.
  id text primary key,
  started_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp()
);

-- The job to write for a delivery.
create type posthorn.delivery_job as (
  delivery_id uuid,
  webhook_id uuid,
  organization_id uuid,
  event_type text,
  -- The time of the next attempt. Null: all attempts failed, and the job becomes permanently failed.
  run_at timestamptz,
  attempts int,
  max_attempts int,
  last_error text
);

-- Gives each delivery exactly one job, with the delivery's id as its key and the delivery's attempt counts. A delivery
-- must not occur twice in the array. A running job with the key loses the key, and graphile-worker removes it when it
-- ends.
--
-- Jobs for later, and those of more than 100 deliveries of an organization at once, get the priority 1. Jobs of priority 0
-- run before them, so that a large batch delays no other organization.
create function posthorn.schedule_deliveries(jobs posthorn.delivery_job[]) returns void
  language plpgsql
as $$
declare
  keys constant text[] := array(
    select posthorn.type_id('msg', job.delivery_id) from unnest(jobs) with ordinality as job order by job.ordinality);
  added_ids bigint[];
  added_keys text[];
  added record;
begin
  if coalesce(cardinality(jobs), 0) = 0 then
    return;
  end if;
  select coalesce(array_agg(job.id), '{}'), coalesce(array_agg(job.key), '{}') into added_ids, added_keys
  from add_jobs(array(
    select row(
      'posthorn:deliver',
      json_build_object(
        'deliveryId', given.key, 'webhookId', named.webhook, 'eventType', given.event_type,
        'organizationId', named.organization),
      null, coalesce(given.run_at, now()), least(given.max_attempts, 32767), given.key,
      case when given.run_at <= now() and named.deliveries <= 100 then 0 else 1 end, null
    )::job_spec
    from unnest(jobs, keys) with ordinality as given
      (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key, ordinality)
    join (
      select webhook_id, posthorn.type_id('wh', webhook_id) as webhook,
        posthorn.type_id('org', organization_id) as organization,
        sum(count(*)) over (partition by organization_id) as deliveries
      from unnest(jobs) group by webhook_id, organization_id
    ) as named using (webhook_id)
    order by given.ordinality
  )) as job;

  -- `add_jobs` has no parameters for attempts and errors. Workers see the jobs only after the transaction commits.
  if exists (select from unnest(jobs) as job where job.attempts > 0 or job.run_at is null) then
    for added in
      select array_agg(job.id) as ids, format('%s (attempt %s of %s)', last_error, attempts, max_attempts) as error
      from unnest(jobs, keys) as given
        (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
      join unnest(added_ids, added_keys) as job (id, key) using (key)
      where attempts > 0 and last_error is not null or run_at is null
      group by 2
    loop
      perform permanently_fail_jobs(added.ids, added.error);
    end loop;
    for added in
      select array_agg(job.id) as ids, least(attempts, 32766) as attempts
      from unnest(jobs, keys) as given
        (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
      join unnest(added_ids, added_keys) as job (id, key) using (key)
      where attempts > 0 and run_at is not null
      group by 2
    loop
      perform reschedule_jobs(added.ids, attempts := added.attempts);
    end loop;
  end if;

  -- `add_jobs` skips a job that a worker claims at the same time. Its key is free now.
  if cardinality(added_keys) < cardinality(jobs) then
    perform posthorn.schedule_deliveries(array(
      select job from unnest(jobs) as job
      where posthorn.type_id('msg', job.delivery_id) <> all (added_keys)));
  end if;
end
$$;
comment on function posthorn.schedule_deliveries is 'Calls graphile-worker. Gives each delivery exactly one job.';

-- Restores the jobs of deliveries after a job was lost or failed, or after its worker died, and removes the jobs of
-- deliveries that need none. A locked job loses its key, so that a worker that was taken for dead cannot complete the
-- new job.
create function posthorn.restore_delivery_jobs(delivery_ids uuid[]) returns void
  language plpgsql
as $$
declare
  restored posthorn.delivery_job[];
begin
  perform posthorn.complete_delivery_jobs(array(
    select posthorn.type_id('msg', d.id) from posthorn.deliveries as d
    where d.id = any (delivery_ids) and d.state <> 'exhausted'));
  with restorable as (
    update posthorn.deliveries as d set job_written_at = now(), redelivery_requested = false
    where d.id = any (delivery_ids) and d.state = 'pending' and d.parked_at is null
    returning d.*
  )
  select array_agg(row(
    d.id, d.webhook_id, d.organization_id, d.event_type, coalesce(d.next_attempt_at, now()), d.attempt_count,
    greatest(d.max_attempts, d.attempt_count + 1), d.last_error)::posthorn.delivery_job)
  into restored from restorable as d;
  perform posthorn.schedule_deliveries(restored);
end
$$;

-- Runs the job of a delivery now. Returns false, and changes nothing, if an attempt is running.
create function posthorn.run_delivery_now(job posthorn.delivery_job) returns boolean
  language plpgsql
as $$
declare
  found_id bigint;
begin
  select id into found_id from jobs where key = posthorn.type_id('msg', job.delivery_id);
  if not found then
    perform posthorn.schedule_deliveries(array[job]);
    return true;
  end if;
  -- Returns no row if the job is locked.
  perform from reschedule_jobs(array[found_id], run_at := job.run_at, priority := 0, attempts := job.attempts,
    max_attempts := job.max_attempts);
  return found;
end
$$;
comment on function posthorn.run_delivery_now is 'Calls graphile-worker. Runs the job of a delivery now.';

-- Removes the jobs with these keys, except running ones. Returns how many.
create function posthorn.complete_delivery_jobs(keys text[]) returns int
  language plpgsql
as $$
begin
  return (
    select count(*) from complete_jobs(array(
      select id from jobs where key = any (keys) and locked_at is null)));
end
$$;
comment on function posthorn.complete_delivery_jobs is 'Calls graphile-worker. Removes the jobs of deliveries.';

-- Adds a job for another task. It replaces a waiting job with the same key.
create function posthorn.enqueue(task text, payload json, job_key text default null, run_at timestamptz default null)
  returns void
  language plpgsql
as $$
begin
  perform add_job('posthorn:' || task, payload := enqueue.payload, run_at := enqueue.run_at, job_key := enqueue.job_key);
end
$$;
comment on function posthorn.enqueue is 'Calls graphile-worker. Adds a job.';

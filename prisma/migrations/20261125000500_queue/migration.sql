-- The queue: the jobs of deliveries and tasks in graphile-worker, and the workers that run them.
--
-- The functions whose comment begins with "Calls graphile-worker." name its functions and its view without a schema.
-- `posthorn migrate` sets their search_path to the schema of POSTHORN_WORKER_SCHEMA (src/queue/worker-schema.ts).
-- They use nothing but the SQL functions and the view that graphile-worker documents.

-- The worker runners of all processes. One whose heartbeat is late is dead, and its jobs are rescued.
create table posthorn.workers (
  -- The id of the runner's pool in graphile-worker, as in `locked_by` of its jobs.
  id text primary key,
  started_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp()
);

-- The job that a delivery is to have.
create type posthorn.delivery_job as (
  delivery_id uuid,
  webhook_id uuid,
  organization_id uuid,
  event_type text,
  -- When the next attempt is made. Null: all attempts failed, and the job is shown as failed.
  run_at timestamptz,
  attempts int,
  max_attempts int,
  last_error text
);

-- Gives each delivery exactly one job, under its id as the key, with true counts; each delivery may stand in the array
-- once. A job that is running under the key is retired: graphile-worker removes it when it ends.
create function posthorn.schedule_deliveries(jobs posthorn.delivery_job[]) returns void
  language plpgsql
as $$
declare
  keys constant text[] := array(
    select posthorn.type_id('msg', job.delivery_id) from unnest(jobs) with ordinality as job order by job.ordinality);
  added_keys text[];
  added record;
begin
  if coalesce(cardinality(jobs), 0) = 0 then
    return;
  end if;
  added_keys := array(
    select job.key from add_jobs(array(
      select row(
        'posthorn:deliver',
        json_build_object(
          'deliveryId', given.key, 'webhookId', named.webhook, 'eventType', given.event_type,
          'organizationId', named.organization),
        null, coalesce(given.run_at, now()), least(given.max_attempts, 32767), given.key, null, null
      )::job_spec
      from unnest(jobs, keys) as given
        (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
      join (
        select webhook_id, posthorn.type_id('wh', webhook_id) as webhook,
          posthorn.type_id('org', organization_id) as organization
        from (select distinct webhook_id, organization_id from unnest(jobs)) as distinct_webhooks
      ) as named using (webhook_id)
    )) as job);

  -- `add_jobs` takes neither attempts nor errors. Nobody sees the jobs before all of this commits.
  for added in
    select job.id, given.* from unnest(jobs, keys) as given
      (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
    join jobs as job on job.key = given.key and given.key = any (added_keys)
    where given.attempts > 0 or given.run_at is null
  loop
    if added.last_error is not null or added.run_at is null then
      perform permanently_fail_jobs(array[added.id],
        format('%s (attempt %s of %s)', added.last_error, added.attempts, added.max_attempts));
    end if;
    if added.run_at is not null then
      perform reschedule_jobs(array[added.id], run_at := added.run_at, attempts := least(added.attempts, 32766),
        max_attempts := least(added.max_attempts, 32767));
    end if;
  end loop;

  -- A job that a worker claimed in the middle of `add_jobs` is skipped by it. Its key is free by now.
  if cardinality(added_keys) < cardinality(jobs) then
    perform posthorn.schedule_deliveries(array(
      select job from unnest(jobs) as job
      where posthorn.type_id('msg', job.delivery_id) <> all (added_keys)));
  end if;
end
$$;
comment on function posthorn.schedule_deliveries is 'Calls graphile-worker. gives each delivery exactly one job.';

-- Gives deliveries the jobs that their rows ask for: where a job was lost or has failed, or its worker died. Those that
-- need none lose what they have. A job that is locked is retired, so that a dead worker that comes back cannot complete the
-- new one.
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

-- Runs the job of a delivery now. Answers false where an attempt is running; then nothing was changed.
create function posthorn.bring_delivery_forward(job posthorn.delivery_job) returns boolean
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
  -- Answers nothing where the job is locked.
  perform from reschedule_jobs(array[found_id], run_at := job.run_at, attempts := job.attempts,
    max_attempts := job.max_attempts);
  return found;
end
$$;
comment on function posthorn.bring_delivery_forward is 'Calls graphile-worker. runs the job of a delivery now.';

-- Removes the jobs under these keys, but for those that run.
create function posthorn.complete_delivery_jobs(keys text[]) returns int
  language plpgsql
as $$
begin
  return (
    select count(*) from complete_jobs(array(
      select id from jobs where key = any (keys) and locked_at is null)));
end
$$;
comment on function posthorn.complete_delivery_jobs is 'Calls graphile-worker. removes the jobs of deliveries.';

-- Adds a job of another task. A job that waits under the same key is replaced.
create function posthorn.enqueue(task text, payload json, job_key text default null, run_at timestamptz default null)
  returns void
  language plpgsql
as $$
begin
  perform add_job('posthorn:' || task, payload := enqueue.payload, run_at := enqueue.run_at, job_key := enqueue.job_key);
end
$$;
comment on function posthorn.enqueue is 'Calls graphile-worker. adds a job.';

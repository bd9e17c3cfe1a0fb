-- Jobs of deliveries, written as `graphile_worker.add_jobs` writes them: where a job under the key has begun, it gives the
-- key up and another one is made, and one that waits is moved. There are no queues, flags, nor tasks to be found for each,
-- and nothing is answered but how many.
--
-- Workers are told of those that are due. They find the others by polling, when it is time, so there is nothing to tell.
create or replace function posthorn.add_deliver_jobs(delivery_ids uuid[], run_at timestamptz[]) returns bigint
  language plpgsql volatile
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $$
declare
  task int := (select t.id from graphile_worker._private_tasks as t where t.identifier = 'deliver');
  keys text[];
  due bigint := 0;
  written bigint := 0;
begin
  if delivery_ids is null then
    return 0;
  end if;
  if task is null then
    -- Before any worker has begun.
    insert into graphile_worker._private_tasks (identifier) values ('deliver') on conflict do nothing;
    task := (select t.id from graphile_worker._private_tasks as t where t.identifier = 'deliver');
  end if;
  keys := array(
    select posthorn.type_id('msg', owed.id)
    from unnest(delivery_ids) with ordinality as owed (id, i) order by owed.i
  );
  update graphile_worker._private_jobs as jobs
  set key = null, attempts = jobs.max_attempts, updated_at = now()
  where jobs.key = any (keys) and jobs.is_available is not true;

  with made as (
    insert into graphile_worker._private_jobs as jobs (task_id, payload, run_at, key)
    select task, json_build_object('deliveryId', owed.key), coalesce(owed.run_at, now()), owed.key
    from unnest(keys, run_at) as owed (key, run_at)
    on conflict (key) do update set
      job_queue_id = null, task_id = excluded.task_id, payload = excluded.payload, run_at = excluded.run_at,
      max_attempts = excluded.max_attempts, priority = excluded.priority, flags = null, attempts = 0, last_error = null,
      revision = jobs.revision + 1, updated_at = now()
    where jobs.locked_at is null
    returning jobs.run_at
  )
  select count(*), count(*) filter (where made.run_at <= now()) into written, due from made;

  if due > 0 then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', due)::text);
  end if;
  return written;
end
$$;

-- A worker makes it when it first begins. Made here, it is there for what is published before.
insert into graphile_worker._private_tasks (identifier) values ('deliver') on conflict do nothing;

-- A job can have a queue: the jobs of a queue run one after the other, in all workers together.

drop function posthorn.enqueue(text, json, text, timestamptz);

-- Adds a job for another task. It replaces a waiting job with the same key.
create function posthorn.enqueue(
  task text, payload json, job_key text default null, run_at timestamptz default null, queue text default null
) returns void
  language plpgsql
as $$
begin
  perform add_job('posthorn:' || task, payload := enqueue.payload, queue_name := enqueue.queue,
    run_at := enqueue.run_at, job_key := enqueue.job_key);
end
$$;
comment on function posthorn.enqueue is 'Calls graphile-worker. Adds a job.';

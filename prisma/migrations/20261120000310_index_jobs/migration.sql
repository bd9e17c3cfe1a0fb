-- Operators look at jobs page by page, also where a million of them wait. The indexes of graphile-worker serve taking
-- the next job; these serve finding the few that run, failed, or are no deliveries among the many that are. (They may be there from a migration that was cut off.)

-- Serves: the jobs that run, and those that failed for good.
create index if not exists posthorn_jobs_taken on graphile_worker._private_jobs (id) where not is_available;
-- Serves: the jobs of every task but `deliver`, whose jobs bear the key of their delivery and cost nothing here.
create index if not exists posthorn_jobs_besides_deliveries on graphile_worker._private_jobs (task_id, id)
  where key is null or key not like 'msg\_%';

-- Each worker says how much of its capacity it uses, so that people see whether there are enough workers.

alter table posthorn.workers
  -- As of the last heartbeat. Null in a worker that does not say it.
  add column in_flight int,
  add column concurrency int;

-- `restore_delivery_jobs` calls graphile-worker by the functions that it calls. The comment gives it the settings of those
-- functions (src/queue/worker-schema.ts): a session that called it while there were no deliveries read all deliveries later.
comment on function posthorn.restore_delivery_jobs is
  'Calls graphile-worker. Gives each of the deliveries the job that it needs.';

-- Who listens for what happens live. Whoever records an attempt looks here first, so that nobody is notified in vain.
-- Unlogged: it says who is connected now, so it costs no write-ahead log, and a restart of Postgres may forget it: the
-- listeners, whose connections that broke, write themselves down again.

create unlogged table posthorn.live_listeners (
  organization_id uuid not null,
  -- One for each connection that listens.
  listener_id uuid not null,
  -- Renewed while the connection lives. One that was killed is not told of, nor heard of, from then on.
  expires_at timestamptz not null,
  -- Serves: whether somebody listens for an organization.
  primary key (organization_id, listener_id)
);

-- Forwarding: `posthorn listen --forward` receives the deliveries of a temporary webhook over GraphQL, so that they reach a
-- server on the machine of a developer without a tunnel.

alter table posthorn.webhooks
  -- Null: an ordinary webhook. The open stream of the command extends this time. After it, the webhook is deleted.
  add column forwarded_until timestamptz;
-- Serves: the temporary webhooks that have expired, and those of an organization.
create index webhooks_forwarded on posthorn.webhooks (organization_id)
  where forwarded_until is not null and deleted_at is null;

-- The requests of the attempts that wait for an answer of the command. The worker of the attempt deletes its row.
create table posthorn.forwarded_requests (
  id uuid primary key,
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  delivery_id uuid not null,
  -- Names and values in turn. They include the custom headers, which can be credentials.
  headers_ciphertext bytea not null,
  -- From `fetched_at`.
  time_limit_ms int not null,
  created_at timestamptz not null default now(),
  -- When a stream sent the request to the command.
  fetched_at timestamptz,
  answer json,
  constraint only_fetched_requests_have_answers check (answer is null or fetched_at is not null)
);

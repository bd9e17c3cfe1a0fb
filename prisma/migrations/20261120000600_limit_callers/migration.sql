-- So that one caller cannot take what is there for all: how much each API key may ask for, and what it has used lately,
-- which the processes tell each other here.

alter table posthorn.api_keys
  -- On average, in any ten seconds. Null: the default, which the service knows.
  add column requests_per_second integer,
  add column events_per_second integer,
  add constraint requests_per_second_is_from_1_to_1000000 check (requests_per_second between 1 and 1000000),
  add constraint events_per_second_is_from_1_to_1000000 check (events_per_second between 1 and 1000000);

-- Unlogged: a crash of Postgres forgets a few seconds of use, which harms nobody.
create unlogged table posthorn.rate_limits (
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  budget text not null,
  -- What was used and has not drained away yet, when it was counted last.
  level double precision not null,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, budget),
  constraint budget_is_known check (budget in ('requests', 'events')),
  constraint level_is_not_negative check (level >= 0)
) with (fillfactor = 50);

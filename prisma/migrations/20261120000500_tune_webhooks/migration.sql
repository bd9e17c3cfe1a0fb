-- How to send to one webhook: how fast, how many at once, when again, how long to wait, and whether in order. Receivers
-- differ, and the defaults of a process cannot suit all. Null is that default, which a webhook from before keeps.
alter table posthorn.webhooks
  add column rate_limit_per_second integer,
  add column max_in_flight integer,
  -- The delays after each failed attempt. Without a schedule of its own a webhook has that of the process; with one
  -- that is empty, no retries. Two columns, because Prisma takes a null list for an empty one.
  add column own_retry_schedule boolean not null default false,
  add column retry_schedule_seconds integer[] not null default '{}',
  add column timeout_seconds integer,
  add column ordered boolean not null default false,
  add constraint rate_limit_per_second_is_1_to_10000 check (rate_limit_per_second between 1 and 10000),
  add constraint max_in_flight_is_1_to_200 check (max_in_flight between 1 and 200),
  add constraint retry_delays_need_own_retry_schedule check (own_retry_schedule or retry_schedule_seconds = '{}'),
  add constraint retry_schedule_has_at_most_20_delays check (cardinality(retry_schedule_seconds) <= 20),
  add constraint retry_delays_are_1_second_to_1_day check (
    1 <= all (retry_schedule_seconds) and 86400 >= all (retry_schedule_seconds)
    and array_position(retry_schedule_seconds, null) is null
  ),
  add constraint timeout_seconds_is_1_to_30 check (timeout_seconds between 1 and 30);

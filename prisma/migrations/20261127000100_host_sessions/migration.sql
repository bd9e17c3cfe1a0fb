-- The functions hold under the settings of a host's session.

-- The texts of PL/pgSQL functions are read when the first statement of a session calls them. With
-- `standard_conforming_strings = off`, the backslashes in `publish_events`, and in the functions that it calls, were
-- escapes, and every call failed.
alter function posthorn.publish_events(text, json) set standard_conforming_strings = on;

-- A series of days, as times in the time zone of the session, lacked the last day after one that has no midnight there.
create or replace function posthorn.missing_partitions(first_day date, last_day date)
  returns table (parent_name text, day date)
  language sql stable
  begin atomic
    select parent, each_day.day from generate_series(0, last_day - first_day) as n,
      lateral (select first_day + n as day) as each_day,
      unnest(array['events', 'event_keys', 'deliveries', 'attempts']) with ordinality as parents (parent, position)
    where not exists (
      select from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions')
        and relname = parent || '_' || to_char(each_day.day, 'YYYYMMDD')
    )
    order by each_day.day, position;
  end;

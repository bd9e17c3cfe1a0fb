-- The schema and the example of an event type keep the order of their keys, because people read them as documentation.
-- `jsonb` sorts keys. What was stored before keeps the sorted order until it is written again.

alter table posthorn.event_types
  alter column schema type json,
  alter column example type json;

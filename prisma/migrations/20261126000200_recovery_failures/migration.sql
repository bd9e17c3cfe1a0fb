-- The deliveries that a recovery queued and that were exhausted since, to list them. A table of its own, because processes
-- of 0.2.0 count and remove every finished delivery in recovery_items. Its primary key serves each page of the list.

create table posthorn.recovery_failures (
  recovery_id uuid not null references posthorn.recoveries on delete cascade,
  delivery_id uuid not null,
  primary key (recovery_id, delivery_id)
);

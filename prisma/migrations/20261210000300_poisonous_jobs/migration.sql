-- A delivery can be what ends its worker. Then each rescue would give it to the next worker, for ever.

alter table posthorn.deliveries
  -- How many workers in a row died with the job of the delivery, since the last recorded attempt. With 2, the next attempt
  -- runs alone, and has 3 while it runs. A delivery that a worker finds with 3 has ended its worker alone, so it fails.
  add column worker_deaths smallint not null default 0;

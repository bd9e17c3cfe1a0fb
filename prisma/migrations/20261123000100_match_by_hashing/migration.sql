-- Attempts are matched with their deliveries by hashing, whatever the planner expects. As soon as two days held some
-- 25,000 deliveries each, it compared each with each: 5,000 comparisons for a hundred attempts, 125,000 for five hundred.
alter function posthorn.record_attempts(
  uuid[], timestamptz[], boolean[], int[], int[], int[], int[], text[], text[], text[], text[], text[], jsonb[], bytea[],
  boolean[], bigint[], boolean[], text, text
) set enable_nestloop = off;

-- Which webhooks have a line is found by skipping through its index, whatever the planner knows. Where it expected few to
-- wait, it read and sorted all that waited, once a minute: 35 ms with 20,000, and ever more with more.
alter function posthorn.tidy_webhook_flows()
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
  set enable_sort = off;

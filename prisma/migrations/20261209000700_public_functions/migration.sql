-- The functions that applications call have comments, which psql shows (\df+) and the reference is made from. All others
-- are parts of Posthorn that can change with any version.

comment on function posthorn.publish_events(text, text) is
  'Publishes events in the transaction of the caller: they exist if and only if it commits. `events` is a JSON array of objects with `type` and `data`, and if wanted `previous`, `timestamp`, `idempotencyKey` and `traceparent`. Returns one row for each event, in order: its id, its number of deliveries, and whether it repeats an idempotency key. `data` is not validated against the JSON Schema of its type. Untyped parameters, which `pg` and Prisma send, resolve to this overload.';
comment on function posthorn.publish_events(text, json) is
  'As `publish_events` with text.';
comment on function posthorn.publish_events(text, jsonb) is
  'As `publish_events` with text. A value of jsonb has lost the spelling of numbers and the order of keys.';

comment on function posthorn.publish_event(text, text, text, text, timestamptz, text) is
  'Publishes one event in the transaction of the caller. `data` is JSON of at most 256 KiB, kept to the letter. `idempotency_key` has 1 to 255 characters: within 24 hours, the same key returns the first event. `occurred_at` defaults to now. `traceparent` is a W3C trace context, which deliveries send.';
comment on function posthorn.publish_event(text, text, json, text, timestamptz, text) is
  'As `publish_event` with text.';
comment on function posthorn.publish_event(text, text, jsonb, text, timestamptz, text) is
  'As `publish_event` with text. A trigger gives to_jsonb(new).';
comment on function posthorn.publish_event(text, text, text, json, timestamptz, text, text) is
  'Publishes one event that reports a change: `previous` is what `data` was before, or null. Both have at most 256 KiB together.';
comment on function posthorn.publish_event(text, text, json, json, timestamptz, text, text) is
  'As `publish_event` with text and `previous`.';
comment on function posthorn.publish_event(text, text, jsonb, jsonb, timestamptz, text, text) is
  'As `publish_event` with text and `previous`. A trigger gives to_jsonb(new) and previous => to_jsonb(old).';

comment on function posthorn.publish_changes(regclass, name, name[], text, name[], text[], int) is
  'Lets a table publish its changes: <event_type>.created, .updated and .deleted, or those of `operations`. `data` has the listed columns, and for an update `previous` has them as they were. `organization_column` is of type text (org_…) or uuid; a row without an organization publishes nothing. `key_columns` identify a row; by default they are the primary key. A statement that would publish more than `max_events` events fails. The triggers are created with the rights of the caller. A second call replaces the first.';
comment on function posthorn.stop_publishing_changes(regclass) is
  'Stops a table, and its partitions, from publishing their changes. Returns whether the table published them.';

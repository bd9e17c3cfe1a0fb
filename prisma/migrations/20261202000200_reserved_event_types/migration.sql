-- The event types that begin with "posthorn." are those of operational events. Before, a host application could publish them.

-- Validates one event of a host application: the field that is wrong (null: the event) and the rule, or nulls if it is
-- valid. `event` does not include its data.
create or replace function posthorn.event_issue(event json, data text, out field text, out rule text)
  language plpgsql stable
as $$
declare
  known constant text[] := array['type', 'data', 'timestamp', 'idempotencyKey', 'traceparent'];
  unknown text;
  suggestion text;
begin
  if json_typeof(event) <> 'object' then
    rule := 'give an object, not ' || json_typeof(event) || '.';
    return;
  end if;
  select key into unknown from json_object_keys(event) as key where key <> all (known) limit 1;
  if found then
    select name into suggestion from (values
      ('type', 'type'), ('eventtype', 'type'), ('event', 'type'), ('name', 'type'),
      ('data', 'data'), ('payload', 'data'), ('body', 'data'),
      ('timestamp', 'timestamp'), ('occurredat', 'timestamp'), ('time', 'timestamp'), ('createdat', 'timestamp'),
      ('idempotencykey', 'idempotencyKey'), ('idempotency', 'idempotencyKey'), ('key', 'idempotencyKey'),
      ('traceparent', 'traceparent'), ('trace', 'traceparent')
    ) as alias (spelling, name)
    where spelling = lower(regexp_replace(left(unknown, 100), '[^a-zA-Z]', '', 'g'));
    field := posthorn.excerpt(unknown);
    rule := 'this key is unknown; '
      || coalesce('did you mean "' || suggestion || '"?', 'the keys are ' || array_to_string(known, ', ') || '.');
    return;
  end if;
  select issue[1], issue[2] into field, rule from (select case
    when event ->> 'type' is null then array['type', 'it is required.']
    when json_typeof(event -> 'type') <> 'string' then array['type', 'give a string.']
    when event ->> 'type' like 'posthorn.%'
      then array['type', 'Posthorn itself publishes the events whose types begin with posthorn. Choose another type.']
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then array['type', format('%s is not in the catalogue of event types.', to_json(posthorn.excerpt(event ->> 'type')))]
    when data is null then array['data', 'it is required.']
    when octet_length(data) > 262144 then array['data', 'it is larger than 256 KiB (262,144 bytes).']
    when event ->> 'timestamp' !~*
        '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      then array['timestamp', 'give an RFC 3339 time, such as 2026-01-31T12:00:00Z.']
    when extract(year from (event ->> 'timestamp')::timestamptz at time zone 'UTC') not between 1 and 9999
      then array['timestamp', 'give a time in the years 1 to 9999 of UTC.']
    when json_typeof(event -> 'idempotencyKey') not in ('string', 'null') then array['idempotencyKey', 'give a string.']
    when char_length(event ->> 'idempotencyKey') not between 1 and 255 then array['idempotencyKey', 'give 1 to 255 characters.']
    when event ->> 'traceparent' !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
      then array['traceparent', 'give the form of W3C Trace Context, 00-<32 hex>-<16 hex>-<2 hex>.']
  end as issue) as checked;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    field := 'timestamp';
    rule := 'it is not a valid time. Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  when untranslatable_character or invalid_text_representation then
    field := null;
    rule := 'a field other than data has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

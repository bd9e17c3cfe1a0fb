-- Ids: UUIDv7 (RFC 9562) in the tables, TypeIDs (https://github.com/jetify-com/typeid) for people.
create schema if not exists posthorn;
-- Partitions live here, so that tools that read the schema `posthorn` see only their parents.
create schema if not exists posthorn_partitions;

-- PostgreSQL 18 has `uuidv7()`. The replacement for older versions puts microseconds into the 12 bits after the
-- milliseconds (RFC 9562, section 6.2, method 3), so that ids of one session ascend.
do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function posthorn.uuid_v7() returns uuid
      language sql volatile parallel safe
      return uuidv7();
  else
    create function posthorn.uuid_v7() returns uuid
      language plpgsql volatile parallel safe
    as $$
    declare
      microseconds constant bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
      fraction constant int := (microseconds % 1000 * 4096 / 1000)::int;
      random constant bytea := uuid_send(gen_random_uuid());
    begin
      return encode(
        substring(int8send(microseconds / 1000) from 3)
          || substring(int4send(7 << 12 | fraction) from 3)
          || substring(random from 9),
        'hex')::uuid;
    end
    $$;
  end if;
end
$do$;

-- The smallest UUIDv7 of a time: the bound of partitions and of time ranges over ids.
create function posthorn.uuid_v7_lower_bound(at timestamptz) returns uuid
  language sql immutable parallel safe
  return encode(
    substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) || '\x70008000000000000000'::bytea,
    'hex')::uuid;

-- The time in a UUIDv7, to the millisecond.
create function posthorn.uuid_v7_timestamp(id uuid) returns timestamptz
  language sql immutable parallel safe
  return to_timestamp((('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint) / 1000.0);

-- A uuid as a TypeID: the prefix and 26 characters of Crockford's base 32, five bits each.
create function posthorn.type_id(prefix text, id uuid) returns text
  language plpgsql immutable strict parallel safe
as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  bits constant bit(130) := B'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  encoded text := prefix || '_';
begin
  for i in 0..25 loop
    encoded := encoded || substr(alphabet, substring(bits from 5 * i + 1 for 5)::int + 1, 1);
  end loop;
  return encoded;
end
$$;

-- The uuid in a TypeID with this prefix; null for any other text.
create function posthorn.parse_type_id(prefix text, given text) returns uuid
  language plpgsql immutable parallel safe
as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  encoded constant text := substr(given, length(prefix) + 2);
  bits text := '';
begin
  if left(given, length(prefix) + 1) is distinct from prefix || '_'
    or encoded !~ '^[0-7][0-9a-hjkmnp-tv-z]{25}$' then
    return null;
  end if;
  for i in 1..26 loop
    bits := bits || (strpos(alphabet, substr(encoded, i, 1)) - 1)::bit(5)::text;
  end loop;
  -- 26 characters carry 130 bits; the first two are zero.
  return encode(
    int8send(substr(bits, 3, 64)::bit(64)::bigint) || int8send(substr(bits, 67, 64)::bit(64)::bigint),
    'hex')::uuid;
end
$$;

-- A uuid in the base 32 of TypeIDs, two characters at a time, as before. The table of the pairs now has its type where
-- it is declared: without, each call read it anew from its text, which took as long as all the rest (5.6 us for an id,
-- now 2.7; publishing writes two for each delivery).
do $do$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  -- How each number of ten bits is written.
  pairs constant text := (
    select string_agg(substr(alphabet, high, 1) || substr(alphabet, low, 1), '' order by high, low)
    from generate_series(1, 32) as high, generate_series(1, 32) as low
  );
  -- The eight bits of the first byte, then four times ten of each five bytes.
  numbers text[] := array['get_byte(bytes, 0)'];
begin
  for i in 1..11 by 5 loop
    numbers := numbers || array[
      format('get_byte(bytes, %s) << 2 | (get_byte(bytes, %s) >> 6)', i, i + 1),
      format('(get_byte(bytes, %s) & 63) << 4 | (get_byte(bytes, %s) >> 4)', i + 1, i + 2),
      format('(get_byte(bytes, %s) & 15) << 6 | (get_byte(bytes, %s) >> 2)', i + 2, i + 3),
      format('(get_byte(bytes, %s) & 3) << 8 | get_byte(bytes, %s)', i + 3, i + 4)];
  end loop;
  execute format(
    $function$
      create or replace function posthorn.type_id(prefix text, id uuid) returns text
        language plpgsql immutable parallel safe
      as $body$
      declare
        bytes constant bytea := uuid_send(id);
        pairs constant bytea := %L::bytea;
      begin
        return prefix || '_' || encode(%s, 'escape');
      end
      $body$
    $function$,
    pairs,
    (select string_agg(format('substring(pairs from 1 + 2 * (%s) for 2)', number), ' || ' order by i)
     from unnest(numbers) with ordinality as written (number, i)));
end
$do$;

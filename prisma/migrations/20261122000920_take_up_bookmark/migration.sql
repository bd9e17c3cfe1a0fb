-- As before, but it does not wait for transactions of another server. A dump that was restored names one that this
-- server has not begun yet: until it had counted so far, the bookmark stood still, and lists of pending deliveries
-- became slower from day to day. All that was committed there is visible here, so the step begins anew.
create or replace function posthorn.mark_lingering_deliveries(at_most int) returns int
  language plpgsql
as $$
declare
  bookmark posthorn.bookmarks;
  found_ids uuid[];
begin
  select * into bookmark from posthorn.bookmarks where name = 'lingering deliveries' for update skip locked;
  if not found then
    return 0;
  end if;
  if bookmark.next_xid > pg_snapshot_xmax(pg_current_snapshot())::text::bigint then
    bookmark.next_id := null;
  end if;
  if bookmark.next_id is not null
    and pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= bookmark.next_xid then
    found_ids := array(
      select id from posthorn.deliveries
      where id >= bookmark.reached_id and id < bookmark.next_id and state = 'pending' and listed_state is null
      order by id limit at_most
    );
    update posthorn.deliveries set lingering = true where id = any (found_ids) and state = 'pending';
    if cardinality(found_ids) < at_most then
      bookmark.reached_id := bookmark.next_id;
      bookmark.next_id := null;
    else
      bookmark.reached_id := found_ids[at_most];
    end if;
  end if;
  if bookmark.next_id is null then
    -- A transaction takes its number within moments of making its first id.
    bookmark.next_id := posthorn.uuid_v7_floor(clock_timestamp() - interval '30 seconds');
    bookmark.next_xid := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  end if;
  update posthorn.bookmarks set reached_at = posthorn.uuid_v7_time(bookmark.reached_id),
    reached_id = bookmark.reached_id, next_id = bookmark.next_id, next_xid = bookmark.next_xid
  where name = bookmark.name;
  return coalesce(cardinality(found_ids), 0);
end
$$;

-- Erases the recoveries that ended longer ago than deliveries are kept; answers how many. Runs with its owner's rights: the
-- role that the service runs as removes no others.
create function posthorn.erase_old_recoveries(retention interval) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  erased bigint;
begin
  delete from posthorn.recoveries where finished_at < now() - retention;
  get diagnostics erased = row_count;
  return erased;
end
$$;
revoke execute on function posthorn.erase_old_recoveries from public;

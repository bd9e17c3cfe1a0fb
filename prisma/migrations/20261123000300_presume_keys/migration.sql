-- An API key that was asked for some seconds ago needs not be asked for again where the statement that stores an event
-- checks that its row is still the same: one statement less for each event that comes alone.

-- Raises PH401 for an API key whose row has not the `xmin` that the caller read of it, or that has expired since.
create function posthorn.require_keys(ids uuid[], versions text[]) returns boolean
  language plpgsql volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  if exists (
    select from unnest(ids, versions) as known (id, version)
    where known.version is distinct from (
      select k.xmin::text from posthorn.api_keys as k
      where k.id = known.id and (k.expires_at is null or k.expires_at > now()))
  ) then
    raise exception using errcode = 'PH401', message = 'An API key is not as it was when it was asked for.';
  end if;
  return true;
end
$$;
revoke execute on function posthorn.require_keys from public;

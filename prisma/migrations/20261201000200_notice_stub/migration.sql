-- Tells an organization of a change of its webhook, in the transaction that makes the change. Does nothing yet.
create or replace function posthorn.notice(organization_id uuid, webhook_id uuid, type text, data jsonb) returns void
  language sql
  begin atomic
    select null where false;
  end;
revoke execute on function posthorn.notice from public;

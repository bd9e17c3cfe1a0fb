-- What an attempt waited for a connection before it began, and whether its request went out twice, are on record with it.
alter table posthorn.attempts
  add column resent boolean not null default false,
  add column waited_ms int not null default 0;

do $do$
declare
  definition text := pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'posthorn'::regnamespace and proname = 'record_attempts'
      and 'request_header_prefix' = any (proargnames);
begin
  definition := replace(definition, 'request_header_prefix text,', 'resends boolean[], waits_ms int[], request_header_prefix text,');
  definition := replace(definition, 'request_header_prefix, request_user_agent
      )', 'request_header_prefix, request_user_agent, resent, waited_ms
      )');
  definition := replace(definition, 'record_attempts.request_user_agent', 'record_attempts.request_user_agent,
        coalesce(resends[u.ordinal], false), coalesce(waits_ms[u.ordinal], 0)');
  execute definition;
end
$do$;

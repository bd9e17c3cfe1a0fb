-- An organization that left stayed in every table. Its deletion ends its keys and webhooks at once, deletes its rows in the
-- background in pages, and leaves one row: the tombstone.

-- Set until the row is deleted too, as the last one.
alter table posthorn.organizations add column deleted_at timestamptz;

-- The tombstones. No foreign key: a tombstone outlives its organization.
create table posthorn.organization_deletions (
  organization_id uuid primary key,
  requested_at timestamptz not null default now(),
  -- The person, the id of the API key, or `command line`.
  requested_by text not null,
  deleted_rows bigint not null default 0,
  -- The progress: where the next page begins. Null before the first page and after the last one.
  step text,
  reached text[],
  -- Transactions and jobs that may still write rows of the organization. Null before they are known.
  open_transactions text[],
  open_jobs text[] not null default '{}',
  -- Whether nothing could write rows of the organization any more when the pass through all tables began, and how many rows
  -- the pass has deleted.
  is_quiet boolean not null default false,
  deleted_in_pass bigint not null default 0,
  finished_at timestamptz,
  constraint finished_without_progress
    check (finished_at is null or step is null and reached is null and open_transactions is null and open_jobs = '{}')
);
-- Serves: the deletions that still run.
create index organization_deletions_unfinished on posthorn.organization_deletions (requested_at) where finished_at is null;

-- Whoever could change a tombstone could hide a deletion.
create function posthorn.protect_tombstones() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' then
    if old.finished_at is null and (new.organization_id, new.requested_at, new.requested_by)
      = (old.organization_id, old.requested_at, old.requested_by)
    then
      return new;
    end if;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.organization_deletions keeps its rows: no role can delete them, or change who deleted an organization and when.';
end
$$;
create trigger reject_changes_of_tombstones before update or delete on posthorn.organization_deletions
  for each row execute function posthorn.protect_tombstones();
create trigger reject_truncate before truncate on posthorn.organization_deletions
  for each statement execute function posthorn.protect_tombstones();

-- The audit log keeps its entries for at least 30 days, except those of an organization that is being deleted.
create function posthorn.protect_audit_entries() returns trigger
  language plpgsql
as $$
begin
  if posthorn.uuid_v7_timestamp(old.id) < now() - posthorn.minimum_audit_retention() or exists (
    select from posthorn.organization_deletions as d
    where d.organization_id = old.organization_id and d.finished_at is null
  ) then
    return old;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.audit_log is append-only: no role can change its entries, or delete them within 30 days.';
end
$$;
drop trigger reject_changes_of_entries on posthorn.audit_log;
create trigger reject_changes_of_entries before update on posthorn.audit_log
  for each row execute function posthorn.protect_audit_log();
create trigger reject_deletions_of_entries before delete on posthorn.audit_log
  for each row execute function posthorn.protect_audit_entries();

-- As before, but for an organization that is deleted, or was, there is no entry: a change that began before the deletion would
-- leave one behind.
create or replace function posthorn.write_audit_entry(
  actor jsonb, organization_id uuid, action text, subject_id text, before jsonb, after jsonb
) returns void
  language sql volatile
as $$
  insert into posthorn.audit_log
    (organization_id, api_key_id, person, source, address, forwarded_for, user_agent, action, subject_id, before, after)
  select
    write_audit_entry.organization_id, (actor ->> 'api_key_id')::uuid, actor ->> 'person',
    (actor ->> 'source')::posthorn.audit_source,
    actor ->> 'address', actor ->> 'forwarded_for', actor ->> 'user_agent',
    write_audit_entry.action, write_audit_entry.subject_id, write_audit_entry.before, write_audit_entry.after
  where not exists (
    select from posthorn.organization_deletions as d where d.organization_id = write_audit_entry.organization_id
  )
$$;

-- The uuid of an organization that a caller of SQL names. Throws for one that does not exist, or is being deleted.
create or replace function posthorn.require_organization(organization text) returns uuid
  language plpgsql stable
as $$
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
begin
  if exists (
    select from posthorn.organizations as o where o.id = organization_id and o.deleted_at is null
  ) then
    return organization_id;
  end if;
  raise invalid_parameter_value using message = format(
    'organization: there is no organization %L. `posthorn organization list` shows their ids.',
    posthorn.excerpt(organization));
end
$$;

-- Publishing checks that no tombstone names the organization. Otherwise as before.
create or replace function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  type_revisions bigint[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  trace_states text[] default null,
  previous text[] default null
) returns table (ordinal int, event_id uuid, delivery_count int, duplicate boolean)
  language plpgsql
as $$
#variable_conflict use_column
declare
  -- Sorted, so that the ids of a call ascend in the order of the events.
  event_ids uuid[] := array(select posthorn.uuid_v7() as id from generate_subscripts(types, 1) order by id);
  duplicates boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  -- A statement creates at most this many deliveries. The events of large calls have at most two each.
  max_deliveries constant int := greatest(250, 2 * cardinality(types));
  -- A statement reads some 50 MB of data a second for conditions that look at each item or a whole text.
  max_scanned_bytes constant bigint := 25000000;
  outdated text;
  has_search_keys boolean;
  item record;
  first_use record;
begin
  -- Also for a caller that was authenticated before the deletion.
  if exists (
    select from posthorn.organization_deletions as d where d.organization_id = any (organization_ids)
  ) then
    raise exception using errcode = 'PH410', message = 'The organization was deleted. Nothing was published.';
  end if;

  select min(given.type) filter (where known.name is null or known.revision <> given.revision),
    bool_or(known.search_keys <> '{}')
  into outdated, has_search_keys
  from (select distinct type, revision from unnest(types, type_revisions) as given (type, revision)) as given
  left join posthorn.event_types as known on known.name = given.type and known.archived_at is null;
  if outdated is not null then
    raise exception using errcode = 'PH412', message = format('The event type %s has changed.', outdated);
  end if;

  if cardinality(array_remove(idempotency_keys, null)) > 0 then
    -- Ordered by key, so that concurrent calls with common keys cannot deadlock.
    for item in
      select i, organization_ids[i] as organization_id, idempotency_keys[i] as key,
        sha256(convert_to(types[i] || chr(10) || data[i] || coalesce(chr(10) || previous[i], ''), 'UTF8'))
          as request_hash
      from generate_subscripts(types, 1) as i
      where idempotency_keys[i] is not null
      order by 2, 3, 1
    loop
      insert into posthorn.idempotency_keys as kept (organization_id, operation, key, request_hash, resource_id)
      values (item.organization_id, 'publishEvent', item.key, item.request_hash, event_ids[item.i])
      on conflict (organization_id, operation, key) do update
        set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = now()
        where kept.created_at < now() - interval '24 hours';
      if not found then
        select k.resource_id, k.request_hash into first_use from posthorn.idempotency_keys as k
        where k.organization_id = item.organization_id and k.operation = 'publishEvent' and k.key = item.key;
        event_ids[item.i] := first_use.resource_id;
        duplicates[item.i] := true;
        if first_use.request_hash <> item.request_hash then
          conflicts := conflicts || (item.i - 1);
        end if;
      end if;
    end loop;
    if cardinality(conflicts) > 0 then
      raise exception using errcode = 'PH409', detail = to_json(conflicts)::text, message = format(
        'events[%s].idempotencyKey: it was used for another event in the last 24 hours. Use a new key for a new event.',
        conflicts[1]);
    end if;
  end if;

  return query
    with fresh as materialized (
      select given.*
      from unnest(event_ids, organization_ids, types, duplicates) with ordinality
        as given (event_id, organization_id, type, duplicate, i)
      where not given.duplicate
    ),
    stored as (
      insert into posthorn.events (id, organization_id, type, occurred_at, data, trace_parent, trace_state, previous)
      select given.id, given.organization_id, given.type, given.occurred_at, given.data, given.trace_parent, given.trace_state,
        given.previous
      from unnest(event_ids, organization_ids, types, data, occurred_at, trace_parents, trace_states, duplicates, previous)
        as given (id, organization_id, type, data, occurred_at, trace_parent, trace_state, duplicate, previous)
      where not given.duplicate
    ),
    streamed as (
      insert into posthorn.published_batches (organization_id, event_ids)
      select s.organization_id, array_agg(fresh.event_id order by fresh.i)
      from posthorn.event_streams as s join fresh on fresh.organization_id = s.organization_id
      where s.organization_id = any (organization_ids)
      group by s.organization_id
    ),
    -- Once for each type, not for each event. `offset 0` prevents the planner from flattening the subquery, so that the
    -- index webhooks_organization_id_id serves it even if the table was small at planning time.
    subscribed as materialized (
      select kind.organization_id, kind.type, w.*
      from (
        -- Once for each type, and not for each webhook.
        select kind.*, posthorn.subscriptions_to(kind.type) as subscriptions
        from (select distinct fresh.organization_id, fresh.type from fresh) as kind
        offset 0
      ) as kind
      join lateral (
        select array_agg(w.id order by w.id) as webhook_ids, bool_or(w.ordered) as has_ordered,
          array_agg(w.id order by w.id) filter (where w.filter_query is not null) as filtering_ids
        from posthorn.webhooks as w
        where w.organization_id = kind.organization_id and w.deleted_at is null and w.enabled
          and w.event_subscriptions && kind.subscriptions
        offset 0
      ) as w on w.webhook_ids is not null
    ),
    filters as materialized (
      select s.organization_id, s.type, w.id, w.filter_query, w.filter_times,
        sum(w.filter_scans) over (partition by s.organization_id, s.type order by w.id) as scans
      from subscribed as s join posthorn.webhooks as w on w.id = any (s.filtering_ids)
    ),
    -- Each event is read once for all filters. The filters whose time would exceed a limit do not decide.
    read as materialized (
      select fresh.i, fresh.organization_id, fresh.type,
        octet_length(data[fresh.i]) + coalesce(octet_length(previous[fresh.i]), 0) as bytes,
        posthorn.readable_data(data[fresh.i], previous[fresh.i]) as data, posthorn.readable_data(previous[fresh.i]) as previous
      from fresh join subscribed as s on s.organization_id = fresh.organization_id and s.type = fresh.type
      where s.filtering_ids is not null
    ),
    decided as materialized (
      select read.i, f.organization_id, f.id as webhook_id, undecided,
        not undecided and not posthorn.passes_filter(read.data, read.previous, f.filter_query, f.filter_times) as refused
      from read join filters as f on f.organization_id = read.organization_id and f.type = read.type
      cross join lateral (select read.data is null or f.scans * read.bytes > max_scanned_bytes as undecided) as limited
    ),
    counted_filters as (
      insert into posthorn.filtered_events (organization_id, webhook_ids, refused_counts, undecided_counts)
      select d.organization_id, array_agg(d.webhook_id), array_agg(d.refused), array_agg(d.undecided)
      from (
        select organization_id, webhook_id, count(*) filter (where refused)::int as refused,
          count(*) filter (where undecided)::int as undecided
        from decided where refused or undecided group by 1, 2
      ) as d
      group by 1
    ),
    -- The webhooks that receive the events of a type or, with filters, each of them: then `only` is the event.
    matched as materialized (
      select receiving.*, cardinality(receiving.webhook_ids) as webhooks,
        (sum(cardinality(receiving.webhook_ids)) over (partition by receiving.organization_id order by receiving.type, receiving.only)
          - cardinality(receiving.webhook_ids))::int as skipped
      from (
        select s.organization_id, s.type, null::bigint as only, s.webhook_ids, s.has_ordered
        from subscribed as s where s.filtering_ids is null
        union all
        select read.organization_id, read.type, read.i, array_agg(w.id order by w.n), s.has_ordered
        from read
        join subscribed as s on s.organization_id = read.organization_id and s.type = read.type
        cross join lateral unnest(s.webhook_ids) with ordinality as w (id, n)
        left join decided as d on d.i = read.i and d.webhook_id = w.id
        where d.refused is not true
        group by read.organization_id, read.type, read.i, s.has_ordered
      ) as receiving
    ),
    -- The organizations with the fewest deliveries come first, and the events of each in their order. An event for an
    -- ordered webhook must not overtake an earlier one that still fans out.
    placed as materialized (
      select counted.*,
        sum(counted.webhooks) over (order by counted.total, counted.organization_id, counted.i) > max_deliveries
          or counted.has_ordered and exists (
            select from posthorn.fan_outs as f where f.organization_id = counted.organization_id) as fans_out
      from (
        select fresh.i, fresh.event_id, fresh.organization_id, fresh.type, m.webhooks, m.skipped, m.has_ordered,
          sum(m.webhooks) over (partition by fresh.organization_id) as total
        from fresh join matched as m on m.organization_id = fresh.organization_id and m.type = fresh.type
          and (m.only is null or m.only = fresh.i)
      ) as counted
    ),
    created as (
      select posthorn.create_deliveries(
        array_agg(p.organization_id order by p.i, w.n), array_agg(p.event_id order by p.i, w.n),
        array_agg(p.type order by p.i, w.n), array_agg(w.id order by p.i, w.n))
      from placed as p
      join matched as m on m.organization_id = p.organization_id and m.type = p.type
        and (m.only is null or m.only = p.i)
      cross join lateral unnest(m.webhook_ids) with ordinality as w (id, n)
      where not p.fans_out having count(*) > 0
    ),
    fanned_out as (
      insert into posthorn.fan_outs (organization_id, event_ids, event_types, webhook_counts, webhook_offsets,
        webhook_ids, delivery_count)
      select p.organization_id, array_agg(p.event_id order by p.i), array_agg(p.type order by p.i),
        array_agg(p.webhooks order by p.i), array_agg(p.skipped order by p.i),
        array(
          select w.id from matched as m cross join lateral unnest(m.webhook_ids) with ordinality as w (id, n)
          where m.organization_id = p.organization_id order by m.skipped, w.n),
        sum(p.webhooks)
      from placed as p where p.fans_out group by p.organization_id
      returning fan_outs.organization_id
    ),
    started as (
      select count(posthorn.start_fan_out(fanned_out.organization_id)) from fanned_out
    )
    select given.i - 1, event_ids[given.i], coalesce(placed.webhooks, 0), duplicates[given.i]
    from generate_subscripts(types, 1) as given (i)
    left join placed on placed.i = given.i
    left join created on true left join started on true
    order by given.i;

  if has_search_keys then
    perform posthorn.insert_event_keys(event_ids, organization_ids, types, data, duplicates);
  end if;
end
$$;


create function posthorn.require_running_deletion(organization_id uuid) returns void
  language plpgsql stable
as $$
begin
  if not exists (
    select from posthorn.organization_deletions as d
    where d.organization_id = require_running_deletion.organization_id and d.finished_at is null
  ) then
    raise insufficient_privilege using message = format(
      'No deletion of the organization %s runs, so its rows stay.', posthorn.type_id('org', organization_id));
  end if;
end
$$;

-- Deletes the next rows of an organization from a table or a detached partition, in the order of the columns `key`, which an
-- index has after organization_id. The page begins behind the values `after`. `reached` has the values of its last row, and
-- is null after the last page. Only for an organization whose deletion runs, so that the service needs no right to delete.
create function posthorn.delete_organization_rows(
  organization_id uuid, table_name text, key text[], after text[], max_rows int,
  out deleted int, out reached text[]
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  relation constant regclass := to_regclass(format('%I.%I',
    case when table_name in (select posthorn.detached_partitions()) then 'posthorn_partitions' else 'posthorn' end,
    table_name));
  columns text;
  given text;
  is_after text := '';
  last text[];
begin
  perform posthorn.require_running_deletion(organization_id);
  select string_agg(format('%I', k.name), ', ' order by k.i),
    string_agg(format('($2[%s])::%s', k.i, format_type(a.atttypid, null)), ', ' order by k.i)
  into strict columns, given
  from unnest(key) with ordinality as k (name, i)
  join pg_attribute as a on a.attrelid = relation and a.attname = k.name;
  if table_name = 'organization_deletions' or cardinality(key) is distinct from
    (select count(*)::int from unnest(key) as k (name) join pg_attribute as a on a.attrelid = relation and a.attname = k.name)
  then
    raise invalid_parameter_value using message = format('table_name: %L has no rows to delete by %L.', table_name, key);
  end if;
  if after is not null then
    is_after := format(' and (%s) > (%s)', columns, given);
  end if;
  execute format(
    'select array[%s] from %s where organization_id = $1%s order by %s offset %s limit 1',
    (select string_agg(format('%I::text', k.name), ', ' order by k.i) from unnest(key) with ordinality as k (name, i)),
    relation, is_after, columns, max_rows - 1)
  into last using organization_id, after;
  execute format(
    'delete from %s where organization_id = $1%s%s', relation, is_after,
    case when last is not null then format(' and (%s) <= (%s)', columns, replace(given, '$2', '$3')) end)
  using organization_id, after, last;
  get diagnostics deleted = row_count;
  reached := last;
end
$$;

-- Deletes the row of an organization whose other rows are deleted.
create function posthorn.delete_organization_itself(organization_id uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
begin
  perform posthorn.require_running_deletion(organization_id);
  delete from posthorn.organizations as o where o.id = delete_organization_itself.organization_id;
end
$$;

-- Replaces the statistics of columns, which have values of rows that were deleted or changed since. Before version 18, Postgres
-- cannot remove them, and analyze leaves those of a table in which it finds no row.
create function posthorn.renew_statistics(relation regclass, columns text[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') is not null then
    perform pg_clear_attribute_stats(n.nspname::text, c.relname::text, name, inherited)
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace, unnest(columns) as name, (values (false), (true)) as kind (inherited)
    where c.oid = relation;
  end if;
  execute format('analyze %s (%s)', relation, (select string_agg(quote_ident(name), ', ') from unnest(columns) as name));
end
$$;

-- Renews the statistics of the next table that has any with texts, and returns its name; null after the last. A uuid is no text.
-- Runs with the owner's privileges, because only the owner can analyze.
create function posthorn.renew_statistics_after_deletion(organization_id uuid, after text) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  next record;
begin
  perform posthorn.require_running_deletion(organization_id);
  select c.oid::regclass as relation, c.oid::regclass::text as name, array_agg(distinct a.attname::text) as columns into next
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace and n.nspname in ('posthorn', 'posthorn_partitions')
  join pg_attribute as a on a.attrelid = c.oid
    and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype, 'bytea'::regtype)
  join pg_stats as s on s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname
    and (s.most_common_vals is not null or s.histogram_bounds is not null or s.most_common_elems is not null)
  where c.relkind in ('r', 'p') and c.oid::regclass::text > coalesce(after, '')
  group by c.oid order by 2 limit 1;
  if next.name is not null then
    perform posthorn.renew_statistics(next.relation, next.columns);
  end if;
  return next.name;
end
$$;

-- Leaves the tombstone.
create function posthorn.finish_organization_deletion(organization_id uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
begin
  perform posthorn.require_running_deletion(organization_id);
  update posthorn.organization_deletions as d set finished_at = now(), step = null, reached = null,
    open_transactions = null, open_jobs = '{}', is_quiet = false,
    deleted_in_pass = 0
  where d.organization_id = finish_organization_deletion.organization_id;
end
$$;

-- Operational events and mails about an organization went to operators too. Deletes such mails, and leaves of the next such
-- events of the operators' organization, behind the event `after`, only the id of the organization that they were about.
-- `reached` is null after the last page.
create function posthorn.forget_organization_in_notices(
  organization_id uuid, after uuid, max_rows int, out changed int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  public_id constant text := posthorn.type_id('org', organization_id);
  operators constant uuid := (select s.operator_organization_id from posthorn.settings as s);
  types constant text[] := array(select name from posthorn.event_types where name like 'posthorn.%');
  remainder constant text := jsonb_build_object('organization', jsonb_build_object('id', public_id), 'deleted', true)::text;
  page uuid[];
  about uuid[];
begin
  perform posthorn.require_running_deletion(organization_id);
  delete from posthorn.notice_mails as m where m.data #>> '{organization,id}' = public_id;
  select array_agg(e.id order by e.id), array_agg(e.id) filter (where strpos(e.data, public_id) > 0 and e.data <> remainder)
  into page, about
  from (
    select e.id, e.data from posthorn.events as e
    where e.organization_id = operators and e.type = any (types) and e.id > coalesce(after, posthorn.uuid_v7_lower_bound('epoch'))
    order by e.id limit max_rows
  ) as e;
  delete from posthorn.event_keys as k where k.organization_id = operators and k.event_id = any (about);
  update posthorn.events as e set data = remainder where e.id = any (about);
  get diagnostics changed = row_count;
  reached := page[max_rows];
end
$$;

revoke execute on function posthorn.require_running_deletion(uuid),
  posthorn.delete_organization_rows(uuid, text, text[], text[], int),
  posthorn.delete_organization_itself(uuid), posthorn.renew_statistics(regclass, text[]),
  posthorn.renew_statistics_after_deletion(uuid, text), posthorn.finish_organization_deletion(uuid),
  posthorn.forget_organization_in_notices(uuid, uuid, int)
from public;

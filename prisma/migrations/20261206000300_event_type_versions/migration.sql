-- Event types belong to groups, and each schema that an event type has had is kept as a version of it.

alter table posthorn.event_types
  add column group_name text,
  -- The newest version of the schema.
  add column version integer not null default 1,
  add constraint group_has_1_to_100_characters check (char_length(group_name) between 1 and 100);

create table posthorn.event_type_versions (
  event_type text not null references posthorn.event_types (name) on delete cascade,
  version integer not null,
  -- As the author wrote it. Null: any JSON is valid.
  schema json,
  created_at timestamptz not null default now(),
  primary key (event_type, version),
  constraint version_is_positive check (version > 0)
);

insert into posthorn.event_type_versions (event_type, version, schema, created_at)
select name, version, schema, updated_at from posthorn.event_types;

-- Triggers, because several statements write event types, also those of imports and of operators.

create function posthorn.count_event_type_version() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

create trigger count_version before update on posthorn.event_types
for each row when (new.schema::text is distinct from old.schema::text)
execute function posthorn.count_event_type_version();

create function posthorn.keep_event_type_version() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into posthorn.event_type_versions (event_type, version, schema)
  values (new.name, new.version, new.schema);
  return null;
end $$;

create trigger keep_first_version after insert on posthorn.event_types
for each row execute function posthorn.keep_event_type_version();

create trigger keep_version after update on posthorn.event_types
for each row when (new.version <> old.version)
execute function posthorn.keep_event_type_version();

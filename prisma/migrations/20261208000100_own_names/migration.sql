-- Organizations and webhooks have names of their owner's choice: a unique one, and labels.

-- A hash of each label of a map of strings, because a label can be longer than an entry of an index.
create function posthorn.label_hashes(metadata jsonb) returns text[]
  language plpgsql immutable strict parallel safe
as $$
begin
  return array(
    select encode(sha256(convert_to(label.key || chr(10) || label.value, 'UTF8')), 'hex')
    from jsonb_each_text(metadata) as label
  );
end
$$;
revoke execute on function posthorn.label_hashes(jsonb) from public;

alter table posthorn.organizations
  add column uid text,
  -- A map of strings.
  add column metadata jsonb not null default '{}',
  add column label_hashes text[] not null generated always as (posthorn.label_hashes(metadata)) stored;
alter table posthorn.organizations
  add constraint a_uid_has_1_to_255_characters check (length(uid) between 1 and 255) not valid,
  add constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object') not valid;
alter table posthorn.organizations validate constraint a_uid_has_1_to_255_characters;
alter table posthorn.organizations validate constraint metadata_is_an_object;
-- Finds an organization by its uid, and keeps uids unique in the installation.
create unique index organizations_uid_key on posthorn.organizations (uid);
-- Finds organizations by their labels.
create index organizations_labels on posthorn.organizations using gin (label_hashes);

alter table posthorn.webhooks
  add column uid text,
  add column metadata jsonb not null default '{}',
  add column label_hashes text[] not null generated always as (posthorn.label_hashes(metadata)) stored;
alter table posthorn.webhooks
  add constraint a_uid_has_1_to_255_characters check (length(uid) between 1 and 255) not valid,
  add constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object') not valid;
alter table posthorn.webhooks validate constraint a_uid_has_1_to_255_characters;
alter table posthorn.webhooks validate constraint metadata_is_an_object;
-- Finds a webhook by its uid, and keeps uids unique in the organization. The uid of a deleted webhook is free again.
create unique index webhooks_own_uid on posthorn.webhooks (organization_id, uid)
  where deleted_at is null and uid is not null;
-- Finds webhooks by their labels, in an organization with many webhooks.
create index webhooks_labels on posthorn.webhooks using gin (label_hashes) where deleted_at is null;

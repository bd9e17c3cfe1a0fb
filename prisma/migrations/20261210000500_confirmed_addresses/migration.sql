-- An e-mail address gets notices only once a person has used the link that it was sent. The addresses of before are not
-- confirmed, those of operators included, since somebody may have entered a stranger's. The workers send each of them a link,
-- unless its mails are stopped.

alter table posthorn.notice_addresses
  -- When a person used the link. Null: never.
  add column confirmed_at timestamptz,
  -- Since when a mail with a link waits to be sent. Null: none waits.
  add column confirmation_requested_at timestamptz default now();
update posthorn.notice_addresses set confirmation_requested_at = null where stopped_at is not null;

-- The mails of the last day, also to addresses that were removed since: they count towards the limits on mails.
create table posthorn.sent_mails (
  id uuid primary key default posthorn.uuid_v7(),
  -- Who added the address. Null: an operator, for all organizations.
  organization_id uuid references posthorn.organizations on delete cascade,
  -- SHA-256 of the mailbox.
  recipient_hash bytea not null,
  -- Whether the mail had a link to confirm the address.
  is_confirmation boolean not null,
  sent_at timestamptz not null default now()
);
-- Serves: the limits of a mailbox.
create index sent_mails_recipient on posthorn.sent_mails (recipient_hash, sent_at);
-- Serves: the limit of an organization, and its deletion.
create index sent_mails_organization on posthorn.sent_mails (organization_id, id);

-- The confirmed addresses that get the notices of this type about an organization.
create or replace function posthorn.notice_recipients(organization_id uuid, type text) returns uuid[]
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select a.id from posthorn.notice_addresses as a
    where (a.organization_id = notice_recipients.organization_id or a.organization_id is null)
      and a.confirmed_at is not null and a.stopped_at is null and notice_recipients.type = any (a.kinds)
    order by a.id)
$$;
revoke execute on function posthorn.notice_recipients(uuid, text) from public;

-- The scope alerts:write, without which a session changes no addresses.
alter table posthorn.api_keys
  drop constraint scopes_are_known,
  add constraint scopes_are_known check (scopes <@ array[
    'webhooks:read', 'webhooks:write', 'alerts:write', 'secrets:read', 'secrets:rotate', 'events:publish', 'events:read',
    'deliveries:read', 'deliveries:write', 'data:erase', 'keys:manage', 'admin'
  ]);

-- A portal session can be restricted to one delivery: the link that a person sends to the people of a receiver. No foreign
-- key, as deliveries are dropped by whole partitions.

alter table posthorn.api_keys
  add column delivery_id uuid,
  add constraint only_portal_sessions_of_one_webhook_have_a_delivery
    check (delivery_id is null or (session_kind = 'portal' and webhook_id is not null));
-- Serves: the links to a delivery.
create index api_keys_delivery_id on posthorn.api_keys (delivery_id) where delivery_id is not null;

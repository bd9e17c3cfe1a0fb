-- A test delivery carries the example of its event type to one webhook. It is on record like any other, and marked, so
-- that nobody takes it for something that happened.
alter table posthorn.events add column is_test boolean not null default false;
alter table posthorn.deliveries add column is_test boolean not null default false;

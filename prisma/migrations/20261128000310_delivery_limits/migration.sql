-- An API key also has a limit of deliveries: one published event can have thousands.

alter table posthorn.api_keys add column deliveries_per_second int;
alter table posthorn.api_keys add constraint deliveries_per_second_is_from_1_to_1000000
  check (deliveries_per_second between 1 and 1000000);

alter table posthorn.rate_limits drop constraint budget_is_known;
alter table posthorn.rate_limits add constraint budget_is_known check (budget in ('requests', 'events', 'deliveries'));

-- A webhook can be signed as another sender signed before: with other names of the three headers, with a second
-- signature by a template, and with the previous secrets while a secret is rotated.

alter table posthorn.webhooks
  -- The names: id, timestamp and signature. Null: those of the installation.
  add column signature_headers jsonb,
  -- The header, the algorithm, the encoding and the two templates. Null: there is no second signature.
  add column second_signature jsonb,
  add column second_secret_ciphertext bytea,
  add column signs_with_previous_secret boolean not null default false;
alter table posthorn.webhooks
  add constraint a_second_signature_has_a_secret
    check ((second_signature is null) = (second_secret_ciphertext is null)) not valid,
  add constraint deleted_means_without_second_secret
    check (deleted_at is null or second_secret_ciphertext is null) not valid;
alter table posthorn.webhooks validate constraint a_second_signature_has_a_secret;
alter table posthorn.webhooks validate constraint deleted_means_without_second_secret;

-- The id, the timestamp and the signatures as pairs of name and value, as they were sent. Null: they have the names of
-- the installation, and the other columns have their values.
alter table posthorn.attempts add column request_signature_headers jsonb;

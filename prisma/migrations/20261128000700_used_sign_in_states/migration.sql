-- A sign-in by OpenID Connect ends once, in any process: its state, which a cookie keeps for 10 minutes, is not
-- accepted again.

create table posthorn.used_sign_in_states (
  -- SHA-256 of the state.
  state_hash bytea primary key,
  -- No cookie with the state is valid after this.
  expires_at timestamptz not null,
  constraint state_hash_is_sha_256 check (octet_length(state_hash) = 32)
);
-- Serves: deleting expired states.
create index used_sign_in_states_expires_at on posthorn.used_sign_in_states (expires_at);

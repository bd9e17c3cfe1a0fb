/** SQL: the maximum number of attempts for a delivery to the webhook `w`. */
export const MAX_ATTEMPTS = `
  case when w.own_retry_schedule then 1 + cardinality(w.retry_schedule_seconds)
    else (select default_max_attempts from posthorn.settings) end`

/** SQL: the reason to park a delivery to the webhook `w` with the schedule `s`. Null: the delivery can be sent now. */
export const PARKED_REASON = `
  case
    when w.ordered then 'ordered'
    when s.on_hold_since is not null then 'on_hold'
    when s.backlog_since is null then null
    when w.rate_limit_per_second is not null then 'rate_limit'
    else 'concurrency_limit'
  end`

import type { Sql } from '../db/client.ts'

/** A webhook fails for certain after this many consecutive failures. */
const FAILING_AFTER = 10
/** With fewer failures, at least these over at least a minute, if at least half of the recent first attempts failed. */
const FAILING_AFTER_A_MINUTE = 3

/** A webhook is degraded if of at least 10 recent first attempts, at least 3 and at least 10 % failed; until it is below 5 %. */
const DEGRADED = { minutes: 15, minAttempts: 10, minFailed: 3, share: 0.1, endsBelow: 0.05 }

/** A webhook is behind if its oldest waiting delivery is older than 5 minutes; until it is younger than a minute. */
const BEHIND = { afterMinutes: 5, endsBelowMinutes: 1 }

/** How many webhooks one evaluation reads. If more are due, the longest overdue come first. */
const MAX_EVALUATED = 250
/** Seconds between two evaluations of a webhook that is in trouble or has a backlog. */
const EVALUATE_EVERY = 5

/**
 * Sets the states of the webhooks that had failures, that have a backlog or that are in trouble, and returns the uuid of the
 * organization for each that changed. The transaction that changes a state alerts it. Of several processes, one at a time evaluates.
 */
export async function evaluateHealth(sql: Sql, aheadMs = 0): Promise<string[]> {
  await sql.query({ name: 'watch_backlogs', text: WATCH_BACKLOGS, values: [MAX_EVALUATED] })
  const { rows } = await sql.query<{ organizationId: string | null }>({
    name: 'evaluate_health',
    text: EVALUATE_HEALTH,
    values: [aheadMs, MAX_EVALUATED],
  })
  return rows.flatMap(({ organizationId }) => organizationId ?? [])
}

/** Has an own transaction and the order of the ids, so that it cannot deadlock with the recording of attempts. */
const WATCH_BACKLOGS = `
  insert into posthorn.webhook_conditions as c (webhook_id, next_evaluation_at)
  select s.webhook_id, now() from posthorn.webhook_schedules as s
  join posthorn.webhooks as w on w.id = s.webhook_id and w.deleted_at is null
  left join posthorn.webhook_conditions as c on c.webhook_id = s.webhook_id
  where (s.backlog_since is not null or s.backlog_drained_at is not null) and c.next_evaluation_at is null
  order by s.webhook_id limit $1
  on conflict (webhook_id) do update set next_evaluation_at = coalesce(c.next_evaluation_at, excluded.next_evaluation_at)`

/** Has waiting deliveries of tests too, as they wait like the others. The indexes of the deliveries serve it. */
const EVALUATE_HEALTH = `
  with clock as materialized (
    select now() + $1 * interval '1 millisecond' as at,
      pg_try_advisory_xact_lock(hashtextextended('posthorn.health', 0)) as is_mine
  ),
  overdue as materialized (
    select c.* from posthorn.webhook_conditions as c
    where c.next_evaluation_at <= (select at from clock) and (select is_mine from clock)
    order by c.next_evaluation_at limit $2 for update skip locked
  ),
  measured as materialized (
    select c.*, clock.at, w.organization_id, w.deleted_at, w.enabled and s.on_hold_since is null as delivers,
      s.backlog_since is not null or s.backlog_drained_at is not null as has_backlog,
      first.attempts, first.failed, parked.at as parked_at, parked.reason as parked_reason, queued.at as queued_at
    from clock, overdue as c
    join lateral (select * from posthorn.webhooks as w where w.id = c.webhook_id offset 0) as w on true
    left join lateral (
      select * from posthorn.webhook_schedules as s where s.webhook_id = c.webhook_id offset 0
    ) as s on true
    cross join lateral (
      select coalesce(sum(t.first_attempts), 0)::int as attempts, coalesce(sum(t.first_attempts_failed), 0)::int as failed
      from posthorn.webhook_statistics as t
      where t.subject_id = c.webhook_id and t.minutes = 1
        and t.bucket > clock.at - interval '${DEGRADED.minutes} minutes'
    ) as first
    left join lateral (
      select posthorn.uuid_v7_timestamp(head.id) as at, head.parked_reason as reason
      from unnest(array[false, true]) as priority (given), lateral (
        select d.id, d.parked_reason from posthorn.deliveries as d
        where d.webhook_id = c.webhook_id and d.has_priority = priority.given and d.parked_at is not null
        order by d.event_id limit 1
      ) as head
      where s.backlog_since is not null or s.backlog_drained_at is not null
      order by 1 limit 1
    ) as parked on true
    left join lateral (
      select posthorn.uuid_v7_timestamp(d.id) as at from posthorn.deliveries as d
      where d.webhook_id = c.webhook_id and d.indexed_state = 'queued'
        and d.next_attempt_at < clock.at - interval '1 minute'
      order by d.id limit 1
    ) as queued on true
  ),
  judged as materialized (
    select *, least(parked_at, queued_at) as oldest_at,
      case
        when not delivers then state
        when failing_since is not null and (state = 'failing' or last_success_at is null
          or consecutive_failures >= ${FAILING_AFTER}
          or consecutive_failures >= ${FAILING_AFTER_A_MINUTE} and failing_since <= at - interval '1 minute'
            and 2 * failed >= attempts)
          then 'failing'
        when least(parked_at, queued_at) < at - interval '1 minute'
          * case state when 'behind' then ${BEHIND.endsBelowMinutes} else ${BEHIND.afterMinutes} end
          then 'behind'
        when attempts >= ${DEGRADED.minAttempts} and failed >= ${DEGRADED.minFailed}
            and failed >= ${DEGRADED.share} * attempts
          or state = 'degraded' and failed > 0 and failed >= ${DEGRADED.endsBelow} * attempts
          then 'degraded'
        else 'healthy'
      end as new_state
    from measured
  ),
  caused as materialized (
    select *, case
        when new_state <> 'behind' then null
        when not delivers then behind_cause
        when parked_at is null then 'capacity'
        when parked_reason in ('rate_limit', 'concurrency_limit', 'ordered') then parked_reason
        -- It waits since the webhook was on hold or disabled.
        else 'catching_up'
      end as new_cause
    from judged
  ),
  stored as (
    update posthorn.webhook_conditions as c set
      state = new.new_state,
      state_since = case
        when new.new_state = c.state then c.state_since
        when new.new_state = 'failing' then new.failing_since
        else new.at
      end,
      behind_cause = new.new_cause,
      first_attempts = new.attempts,
      first_attempts_failed = new.failed,
      oldest_waiting_at = new.oldest_at,
      next_evaluation_at = case
        when new.deleted_at is null and (new.new_state <> 'healthy' or new.failing_since is not null or new.failed > 0
            or new.has_backlog or new.queued_at is not null)
          then new.at + interval '${EVALUATE_EVERY} seconds'
      end
    from caused as new where c.webhook_id = new.webhook_id
    returning c.webhook_id, c.state_since
  ),
  transition as materialized (
    select new.*, stored.state_since as since, (
        select count(*) from (
          select from posthorn.deliveries as d
          where d.webhook_id = new.webhook_id and d.parked_at is not null limit 10000
        ) as counted
      ) as waiting
    from caused as new join stored using (webhook_id) where new.new_state <> new.state
  ),
  -- Also follows a hold that began a minute ago. The array makes all states be stored before.
  followed as (select posthorn.follow_incidents(array(select webhook_id from stored)))
  select organization_id as "organizationId",
    -- A failing webhook whose hold a person ended was noticed when it was put on hold.
    case when webhook_id is null then null when new_state <> 'failing' or not exists (
      select from posthorn.webhook_holds as h
      where h.webhook_id = transition.webhook_id and h.started_at >= transition.failing_since
    ) then posthorn.alert(organization_id, webhook_id,
      'posthorn.webhook.' || case new_state when 'healthy' then 'recovered' else new_state end,
      jsonb_build_object('state', new_state, 'previous_state', state, 'since', since, 'cause', new_cause,
        'deliveries', attempts, 'failed_deliveries', failed, 'consecutive_failures', consecutive_failures,
        'waiting', waiting, 'oldest_waiting_at', oldest_at, 'last_error', last_error)
        -- Of a recovery, the alert itself says both.
        - case new_state when 'healthy' then array['since', 'previous_state'] else '{}' end)
    end as noticed
  from followed left join transition on true`

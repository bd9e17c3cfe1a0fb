import type { Words } from './failure-words.ts'
import type { BehindCause, HoldReason, ParkedReason } from './generated/graphql.ts'

/* Why a webhook has trouble that is no failed attempt, and what to do. */

export const DISABLED: Words = {
  means:
    'The webhook is disabled. Its deliveries wait, and events that are published meanwhile create none.',
  check:
    'Enable the webhook if its partner wants it (enable_webhook), and then recover what it missed (recover).',
}

export const HOLDS: Readonly<Record<HoldReason, Words>> = {
  FAILING: {
    means:
      'The webhook is on hold: at least 10 attempts in a row failed, so one probe at a time tests the endpoint. The first success ends the hold.',
    check:
      'Find the cause of the failures, and fix it. Then resume the webhook (resume_webhook), or wait for the next probe.',
  },
  RETRY_AFTER: {
    means: 'The webhook is on hold because its endpoint asked to wait, with Retry-After.',
    check: 'Wait for the next probe. If it happens often, set a rate limit on the webhook.',
  },
}

export const BEHIND: Readonly<Record<BehindCause, Words>> = {
  RATE_LIMIT: {
    means: 'Deliveries wait because the webhook is at its rate limit.',
    check:
      'Posthorn sends as many deliveries as the rate limit of this webhook allows. If the endpoint can take more, raise the limit.',
  },
  CONCURRENCY_LIMIT: {
    means: 'Deliveries wait because the webhook is at its concurrency limit.',
    check:
      'Posthorn sends as many deliveries at a time as the concurrency limit allows. A receiver that answers sooner, or a higher limit, shortens the backlog.',
  },
  ORDERED: {
    means: 'Deliveries wait for an earlier one, because the webhook is ordered.',
    check:
      'This webhook is ordered, so Posthorn sends one delivery at a time, and a failing delivery delays the later ones. A receiver that answers sooner, or a shorter retry schedule, shortens the backlog.',
  },
  CAPACITY: {
    means: 'Deliveries wait for a worker of Posthorn.',
    check:
      'The deliveries wait for a worker of Posthorn. The operator of this installation can start more workers.',
  },
  CATCHING_UP: {
    means: 'The webhook is catching up after it was on hold or disabled.',
    check:
      'Posthorn releases the deliveries that waited while the webhook was on hold or disabled. There is nothing to do.',
  },
}

/** Why a delivery waits. */
export const PARKED: Readonly<Record<ParkedReason, Words>> = {
  DISABLED,
  ON_HOLD: HOLDS.FAILING,
  RATE_LIMIT: BEHIND.RATE_LIMIT,
  CONCURRENCY_LIMIT: BEHIND.CONCURRENCY_LIMIT,
  ORDERED: BEHIND.ORDERED,
}

export const NO_DELIVERIES: Words = {
  means: 'No attempt was made yet: no event led to a delivery, or the first delivery is queued.',
  check:
    'Find an event that should have arrived (find_events), and ask why it was not delivered (why_was_event_not_delivered). Its filter and its event types decide.',
}

export const HEALTHY: Words = {
  means: 'The webhook works: its last attempts succeeded, and no delivery waits for long.',
  check:
    'If an event is missing, find it (find_events) and ask why it was not delivered (why_was_event_not_delivered).',
}

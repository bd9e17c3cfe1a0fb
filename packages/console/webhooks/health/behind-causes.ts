import type { BehindCause } from '../../generated/graphql.ts'

interface CauseTexts {
  readonly label: string
  /** What Posthorn does now, and what the reader can do. */
  readonly hint: string
}

/** Why a webhook is behind, in words. */
export const BEHIND_CAUSES: Readonly<Record<BehindCause, CauseTexts>> = {
  RATE_LIMIT: {
    label: 'At its rate limit',
    hint: 'Posthorn sends as many deliveries as the rate limit of this webhook allows. If the endpoint can take more, raise the limit.',
  },
  CONCURRENCY_LIMIT: {
    label: 'At its concurrency limit',
    hint: 'Posthorn sends as many deliveries at a time as the concurrency limit allows. A receiver that answers sooner, or a higher limit, shortens the backlog.',
  },
  ORDERED: {
    label: 'Sent in order',
    hint: 'This webhook is ordered, so Posthorn sends one delivery at a time, and a failing delivery delays the later ones. A receiver that answers sooner, or a shorter retry schedule, shortens the backlog.',
  },
  CAPACITY: {
    label: 'No free worker',
    hint: 'The deliveries wait for a worker of Posthorn. The operator of this installation can start more workers.',
  },
  CATCHING_UP: {
    label: 'Catching up',
    hint: 'Posthorn releases the deliveries that waited while the webhook was on hold or disabled. There is nothing to do.',
  },
}

const SETTINGS: readonly BehindCause[] = ['RATE_LIMIT', 'CONCURRENCY_LIMIT', 'ORDERED']

/** Whether a setting of the webhook is why it is behind. */
export function isBehindBySettings(cause: BehindCause | null | undefined): boolean {
  return cause != null && SETTINGS.includes(cause)
}

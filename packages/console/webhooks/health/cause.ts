import type { BehindCause, WebhookState, WebhookTroubleFragment } from '../../generated/graphql.ts'

/** Why a webhook is behind, in words, what Posthorn does, and what the reader can do. */
export const BEHIND_CAUSES: Readonly<
  Record<BehindCause, { readonly label: string; readonly hint: string; readonly isSetting?: true }>
> = {
  RATE_LIMIT: {
    label: 'At its rate limit',
    hint: 'Posthorn sends as many deliveries as the rate limit of this webhook allows. If the endpoint can take more, raise the limit.',
    isSetting: true,
  },
  CONCURRENCY_LIMIT: {
    label: 'At its concurrency limit',
    hint: 'Posthorn sends as many deliveries at a time as the concurrency limit allows. A receiver that answers sooner, or a higher limit, shortens the backlog.',
    isSetting: true,
  },
  ORDERED: {
    label: 'Sent in order',
    hint: 'This webhook is ordered, so Posthorn sends one delivery at a time, and a failing delivery delays the later ones. A receiver that answers sooner, or a shorter retry schedule, shortens the backlog.',
    isSetting: true,
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

/** In these states, the last failure explains the state. */
const FAILING: readonly WebhookState[] = ['ON_HOLD', 'FAILING', 'DEGRADED']

/** Why a webhook is in trouble: `502 · A proxy in front of the receiver got no valid response`. */
export function causeOf({
  health,
  lastFailure,
}: Pick<WebhookTroubleFragment, 'health' | 'lastFailure'>): string | null {
  if (health?.state === 'BEHIND' && health.behindCause) {
    return BEHIND_CAUSES[health.behindCause].label
  }
  if (!lastFailure || !health || !FAILING.includes(health.state)) return null
  const sentence = (lastFailure.meaning ?? '').replace(/\.$/, '')
  return lastFailure.status == null ? sentence : `${lastFailure.status} · ${sentence}`
}

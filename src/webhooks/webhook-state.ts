import type { Prisma } from '../db/generated/prisma/client.ts'

/** The health of a webhook in one word. `docs/guides/failures.md` explains the rule. */
export type WebhookState = 'no_deliveries' | StoredState | 'on_hold' | 'disabled'

/** The states that `evaluateHealth` stores, of a webhook that is enabled and not on hold. */
export type StoredState = 'healthy' | 'degraded' | 'behind' | 'failing'

/** Why a webhook is behind: what its oldest waiting delivery waits for. */
export const BEHIND_CAUSES = {
  rate_limit: 'The rate limit of the webhook.',
  concurrency_limit: 'The concurrency limit of the webhook: its endpoint answers too slowly.',
  ordered: 'An earlier delivery, because the webhook is ordered.',
  capacity: 'A worker of this installation: there are too few, or none runs.',
  catching_up: 'The backlog of a time on hold or disabled is being released.',
} as const
export type BehindCause = keyof typeof BEHIND_CAUSES

/** What the state of a webhook depends on. */
export interface StateFields {
  readonly enabled: boolean
  readonly schedule: { readonly onHoldSince: Date | null } | null
  readonly condition: {
    readonly state: string
    readonly lastSuccessAt: Date | null
    readonly failingSince: Date | null
  } | null
}

/** The view `posthorn.webhook_states` has the same rule in SQL. */
export function stateOf({ enabled, schedule, condition }: StateFields): WebhookState {
  if (!enabled) return 'disabled'
  if (schedule?.onHoldSince) return 'on_hold'
  const state = (condition?.state ?? 'healthy') as StoredState
  const isNew = !condition?.lastSuccessAt && !condition?.failingSince
  return state === 'healthy' && isNew ? 'no_deliveries' : state
}

/** The webhooks in a state. */
export function inState(state: WebhookState): Prisma.WebhookWhereInput {
  const onHold = { schedule: { onHoldSince: { not: null } } }
  const tried = {
    condition: { OR: [{ lastSuccessAt: { not: null } }, { failingSince: { not: null } }] },
  }
  switch (state) {
    case 'disabled':
      return { enabled: false }
    case 'on_hold':
      return { enabled: true, ...onHold }
    case 'no_deliveries':
      return { enabled: true, NOT: [onHold, tried, { condition: { state: { not: 'healthy' } } }] }
    case 'healthy':
      return { enabled: true, AND: [{ condition: { state } }, tried], NOT: onHold }
    default:
      return { enabled: true, condition: { state }, NOT: onHold }
  }
}

/** The health of a webhook in one word, as the view `posthorn.webhook_states` has it. `docs/guides/failures.md` explains the rule. */
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

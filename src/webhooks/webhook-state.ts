import type { Sql } from '../db/client.ts'
import type { LiveItem, Topic } from '../streams/live/feed.ts'

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

export interface HealthChange extends LiveItem {
  readonly state: WebhookState
}

/** Compares the states of all webhooks with those of the read before. One without an attempt counts as healthy. */
export const healthTopic: Topic<HealthChange> = {
  name: 'health',
  // An organization can have thousands of webhooks, and record attempts all the time.
  restMs: 100,
  follow(sql, organizationId) {
    let known: States | null = null
    return async function* () {
      const before = known
      const states = await readStates(sql, organizationId, [...(before?.keys() ?? [])])
      known = new Map([...states].filter(([, state]) => !CALM.includes(state)))
      if (before === null) return
      yield [...states]
        .filter(([webhookId, state]) => state !== (before.get(webhookId) ?? 'healthy'))
        .map(([webhookId, state]) => ({ webhookId, state, position: null }))
    }
  },
}

const CALM: readonly WebhookState[] = ['healthy', 'no_deliveries']

type States = ReadonlyMap<string, WebhookState>

/** The states of the webhooks that are not healthy, and of those that were not. */
async function readStates(
  sql: Sql,
  organizationId: string,
  unhealthyIds: readonly string[],
): Promise<States> {
  const { rows } = await sql.query<{ id: string; state: WebhookState }>({
    name: 'read_webhook_states',
    text: `
      select webhook_id as id, state from posthorn.webhook_states
      where organization_id = $1 and (state not in ('healthy', 'no_deliveries') or webhook_id = any ($2::uuid[]))`,
    values: [organizationId, unhealthyIds],
  })
  return new Map(rows.map(({ id, state }) => [id, state]))
}

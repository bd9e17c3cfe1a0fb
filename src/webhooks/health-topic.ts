import type { Sql } from '../db/client.ts'
import type { LiveItem, Topic } from '../streams/live/feed.ts'
import type { WebhookState } from './webhook-state.ts'

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

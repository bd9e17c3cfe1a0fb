import type { LiveSource, Topic } from '../streams/live/stream.ts'
import type { WebhookState } from './webhook-state.ts'

export interface HealthChange {
  /** A uuid. */
  readonly webhookId: string
  readonly state: WebhookState
}

/** The changes of the states of webhooks. One without an attempt counts as healthy. */
export const healthTopic: Topic<HealthChange> = {
  async open(source) {
    return followStates(source, await readStates(source, []))
  },
}

/** Compares the states with those of the read before. */
async function* followStates(
  source: LiveSource,
  first: States,
): AsyncGenerator<readonly HealthChange[]> {
  const { news, organizationId, webhookId: only } = source
  let before = first
  while (await news.next()) {
    const unhealthy = [...before.keys()].filter((id) => !CALM.includes(before.get(id) ?? 'healthy'))
    const key = ['health', organizationId, ...unhealthy.toSorted()].join()
    const states = await news.read(key, () => readStates(source, unhealthy))
    const changes = [...states].map(([webhookId, state]) => ({ webhookId, state }))
    yield changes.filter(
      ({ webhookId, state }) =>
        (only === null || webhookId === only) && state !== (before.get(webhookId) ?? 'healthy'),
    )
    before = states
  }
}

const CALM: readonly WebhookState[] = ['healthy', 'no_deliveries']

type States = ReadonlyMap<string, WebhookState>

/** The states of the webhooks that are not healthy, and of those that were not. */
async function readStates(
  { sql, organizationId }: LiveSource,
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

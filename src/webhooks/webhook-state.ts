import type { LiveSource, Topic } from '../streams/live/stream.ts'

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

export interface HealthChange {
  /** A uuid. */
  readonly webhookId: string
  readonly state: WebhookState
}

/** The changes of the states of webhooks. One without an attempt counts as healthy. */
export const healthTopic: Topic<HealthChange> = async (source) =>
  followStates(source, await readStates(source, []))

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

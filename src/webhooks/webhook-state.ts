import type { LiveSource, Topic } from '../streams/live/stream.ts'

/** The health of a webhook in one word, as the view `posthorn.webhook_states` has it. `docs/guides/troubleshoot.md` explains the rule. */
export type WebhookState = 'no_deliveries' | StoredState | 'on_hold' | 'disabled'

/** The states that `evaluateHealth` stores, of a webhook that is enabled and not on hold. */
type StoredState = 'healthy' | 'degraded' | 'behind' | 'failing'

/** What a parked delivery waits for. */
export const PARKED_REASONS = {
  on_hold: 'The webhook is on hold: its endpoint keeps failing, or asked to wait.',
  disabled: 'The webhook is disabled.',
  rate_limit: 'The rate limit of the webhook.',
  concurrency_limit: 'The concurrency limit of the webhook: its endpoint answers too slowly.',
  ordered: 'An earlier delivery, because the webhook is ordered.',
} as const

export interface HealthChange {
  /** A uuid. */
  readonly webhookId: string
  readonly state: WebhookState
}

/** The changes of the states of webhooks. One without an attempt counts as healthy. */
export const healthTopic: Topic<HealthChange> = async (source) =>
  followStates(source, await readStates(source))

/** Compares the states with those of the read before. */
async function* followStates(
  source: LiveSource,
  first: States,
): AsyncGenerator<readonly HealthChange[]> {
  const { news, organizationId, webhookId: only } = source
  let before = first
  while (await news.next()) {
    const known = before
    before = await news.read(`health,${organizationId}`, () => readStates(source))
    yield [...before].flatMap(([webhookId, state]) => {
      const isOther = (only ?? webhookId) !== webhookId
      const isSame = calm(state) === calm(known.get(webhookId) ?? 'healthy')
      return isOther || isSame ? [] : { webhookId, state }
    })
  }
}

const calm = (state: WebhookState) => (state === 'no_deliveries' ? 'healthy' : state)

type States = ReadonlyMap<string, WebhookState>

async function readStates({ sql, organizationId }: LiveSource): Promise<States> {
  const { rows } = await sql.query<HealthChange>({
    name: 'read_webhook_states',
    text: `
      select webhook_id as "webhookId", state from posthorn.webhook_states where organization_id = $1`,
    values: [organizationId],
  })
  return new Map(rows.map(({ webhookId, state }) => [webhookId, state]))
}

import { enumOf } from '../graphql/enum-of.ts'

export const WebhookState = enumOf(
  'WebhookState',
  'The state of a webhook, evaluated within seconds. If several hold, it is the last of them in this list.',
  {
    no_deliveries: 'No attempt was made yet.',
    healthy: 'Nothing of the below.',
    degraded:
      'Of the deliveries that were first attempted in the last 15 minutes, at least 10, at least 10 % failed, and at least 3. Ends when less than 5 % fail.',
    behind:
      'The oldest delivery that waits for the webhook or for a worker, and not for a retry, was created more than 5 minutes ago: see `behindCause`. Ends when it is younger than a minute.',
    failing:
      'Nothing succeeds: at least 10 consecutive attempts failed; or at least 3 over at least a minute, and at least half of the first attempts of the last 15 minutes; or no attempt has ever succeeded. Ends with the first success.',
    on_hold:
      'Deliveries are parked, because the endpoint keeps failing or asked to wait: see `onHoldReason`. One probe at a time tests the endpoint; the first success releases the backlog.',
    disabled: 'Not enabled. Nothing is delivered.',
  },
)

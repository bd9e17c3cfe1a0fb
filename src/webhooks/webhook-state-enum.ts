import { builder } from '../graphql/builder.ts'

export const WebhookState = builder.enumType('WebhookState', {
  description:
    'The state of a webhook, evaluated within seconds. If several hold, it is the last of them in this list.',
  values: {
    NO_DELIVERIES: { value: 'no_deliveries', description: 'No attempt was made yet.' },
    HEALTHY: { value: 'healthy', description: 'Nothing of the below.' },
    DEGRADED: {
      value: 'degraded',
      description:
        'Of the deliveries that were first attempted in the last 15 minutes, at least 10, at least 10 % failed, and at least 3. Ends when less than 5 % fail.',
    },
    BEHIND: {
      value: 'behind',
      description:
        'The oldest delivery that waits for the webhook or for a worker, and not for a retry, was created more than 5 minutes ago: see `behindCause`. Ends when it is younger than a minute.',
    },
    FAILING: {
      value: 'failing',
      description:
        'Nothing succeeds: at least 10 consecutive attempts failed; or at least 3 over at least a minute, and at least half of the first attempts of the last 15 minutes; or no attempt has ever succeeded. Ends with the first success.',
    },
    ON_HOLD: {
      value: 'on_hold',
      description:
        'Deliveries are parked, because the endpoint keeps failing or asked to wait: see `onHoldReason`. One probe at a time tests the endpoint; the first success releases the backlog.',
    },
    DISABLED: { value: 'disabled', description: 'Not enabled. Nothing is delivered.' },
  } as const,
})

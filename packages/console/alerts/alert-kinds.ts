import type { AlertKind } from '../generated/graphql.ts'

/** What a notice of each kind says, the most urgent first. */
export const KINDS: Readonly<Record<AlertKind, readonly [label: string, when: string]>> = {
  WEBHOOK_ON_HOLD: [
    'On hold',
    'A webhook kept failing: its deliveries wait until its endpoint responds again.',
  ],
  WEBHOOK_FAILING: ['Failing', 'The last attempts of a webhook failed.'],
  WEBHOOK_DEGRADED: ['Degraded', 'A share of the deliveries of a webhook fails.'],
  WEBHOOK_BEHIND: ['Behind', 'The deliveries of a webhook wait for too long.'],
  DELIVERY_EXHAUSTED: ['Exhausted', 'All attempts of a delivery failed.'],
  WEBHOOK_RECOVERED: ['Recovered', 'The first success after one of these.'],
  SECRET_EXPIRING: ['Secret expires', 'An old signing secret expires within 4 hours.'],
  SECRET_ROTATED: ['Secret rotated', 'A webhook has a new signing secret.'],
  API_KEY_EXPIRING: ['API key expires', 'An API key expires within 7 days.'],
  API_KEY_CREATED: ['API key created', 'Somebody created an API key.'],
}

export const ALL_KINDS = Object.keys(KINDS) as AlertKind[]

/** What is wrong, and that it is over. */
export const USUAL_KINDS: readonly AlertKind[] = [
  ...(['WEBHOOK_ON_HOLD', 'WEBHOOK_FAILING', 'WEBHOOK_BEHIND', 'DELIVERY_EXHAUSTED'] as const),
  ...(['WEBHOOK_RECOVERED', 'SECRET_EXPIRING', 'API_KEY_EXPIRING'] as const),
]

/** The operational event types about webhooks in trouble. */
export const TYPES_OF_TROUBLE = [
  ...['degraded', 'behind', 'failing', 'on_hold', 'recovered'].map(
    (state) => `posthorn.webhook.${state}`,
  ),
  'posthorn.delivery.exhausted',
]

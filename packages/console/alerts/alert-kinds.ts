import type { AlertKind } from '../generated/graphql.ts'

interface KindWords {
  readonly label: string
  readonly when: string
}

/** What a notice of each kind says, the most urgent first. */
export const KINDS: Readonly<Record<AlertKind, KindWords>> = {
  WEBHOOK_ON_HOLD: {
    label: 'On hold',
    when: 'A webhook kept failing: its deliveries wait until its endpoint responds again.',
  },
  WEBHOOK_FAILING: { label: 'Failing', when: 'The last attempts of a webhook failed.' },
  WEBHOOK_DEGRADED: { label: 'Degraded', when: 'A share of the deliveries of a webhook fails.' },
  WEBHOOK_BEHIND: { label: 'Behind', when: 'The deliveries of a webhook wait for too long.' },
  DELIVERY_EXHAUSTED: { label: 'Exhausted', when: 'All attempts of a delivery failed.' },
  WEBHOOK_RECOVERED: { label: 'Recovered', when: 'The first success after one of these.' },
  SECRET_EXPIRING: {
    label: 'Secret expires',
    when: 'An old signing secret expires within 4 hours.',
  },
  SECRET_ROTATED: { label: 'Secret rotated', when: 'A webhook has a new signing secret.' },
  API_KEY_EXPIRING: { label: 'API key expires', when: 'An API key expires within 7 days.' },
  API_KEY_CREATED: { label: 'API key created', when: 'Somebody created an API key.' },
}

export const ALL_KINDS = Object.keys(KINDS) as AlertKind[]

/** What is wrong, and that it is over. */
export const USUAL_KINDS: readonly AlertKind[] = [
  ...(['WEBHOOK_ON_HOLD', 'WEBHOOK_FAILING', 'WEBHOOK_BEHIND', 'DELIVERY_EXHAUSTED'] as const),
  ...(['WEBHOOK_RECOVERED', 'SECRET_EXPIRING', 'API_KEY_EXPIRING'] as const),
]

export function kindsInWords(kinds: readonly AlertKind[]): string {
  if (kinds.length === ALL_KINDS.length) return 'All kinds'
  return ALL_KINDS.filter((kind) => kinds.includes(kind))
    .map((kind) => KINDS[kind].label)
    .join(', ')
}

/** The operational event types about webhooks in trouble. */
export const TYPES_OF_TROUBLE = [
  ...['degraded', 'behind', 'failing', 'on_hold', 'recovered'].map(
    (state) => `posthorn.webhook.${state}`,
  ),
  'posthorn.delivery.exhausted',
]

import { type CommonTexts, failureText, WEBHOOK_STATES } from '../components/texts.ts'
import type { WebhookState } from '../generated/graphql.ts'
import type { Webhook } from './use-webhooks.ts'

export interface WebhookListTexts extends CommonTexts {
  /** The name of the list. */
  readonly label: string
  readonly url: string
  readonly state: string
  readonly successRate: string
  readonly waiting: string
  readonly lastFailure: string
  readonly actions: string
  readonly resume: string
  readonly empty: string
  readonly pages: string
  readonly previous: string
  readonly next: string
  /** In the place of a value that does not exist. */
  readonly none: string
  /** The state of an enabled webhook, if the session may not read its health. */
  readonly unknown: string
  readonly states: Readonly<Record<WebhookState, string>>
  /** A share from 0 to 1. */
  percent(share: number): string
  /** Deliveries that wait. Counted to 10,000. */
  count(deliveries: number): string
  failure(attempt: NonNullable<Webhook['lastFailure']>): string
}

export const WEBHOOK_LIST_TEXTS: Omit<WebhookListTexts, keyof CommonTexts> = {
  label: 'Webhooks',
  url: 'URL',
  state: 'State',
  successRate: 'Successful in 24 hours',
  waiting: 'Waiting',
  lastFailure: 'Last failure',
  actions: 'Actions',
  resume: 'Resume',
  empty: 'There are no webhooks yet.',
  pages: 'Pages of webhooks',
  previous: 'Previous page',
  next: 'Next page',
  none: '–',
  unknown: 'Enabled',
  states: WEBHOOK_STATES,
  percent: (share) =>
    share.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 }),
  count: (deliveries) => `${deliveries.toLocaleString()}${deliveries >= 10_000 ? ' or more' : ''}`,
  failure: failureText,
}

import { type CommonTexts, failureText } from '../components/texts.ts'
import type { ConnectionState } from './follow-attempts.ts'
import type { Attempt } from './use-deliveries.ts'

export interface DeliveryLogTexts extends CommonTexts {
  /** The name of the log. */
  readonly label: string
  readonly recordedAt: string
  readonly eventType: string
  readonly attempt: string
  readonly outcome: string
  readonly duration: string
  readonly actions: string
  readonly redeliver: string
  readonly empty: string
  /** Marks a test delivery. */
  readonly test: string
  /** In the place of the event type, if the delivery is past its retention. */
  readonly deleted: string
  readonly connections: Readonly<Record<ConnectionState, string>>
  /** The name of a button for screen readers. */
  redeliverOf(attempt: Attempt): string
  succeeded(attempt: Attempt): string
  failed(attempt: Attempt): string
  milliseconds(ms: number): string
}

export const DELIVERY_LOG_TEXTS: Omit<DeliveryLogTexts, keyof CommonTexts> = {
  label: 'Attempts',
  recordedAt: 'Time',
  eventType: 'Event type',
  attempt: 'Attempt',
  outcome: 'Outcome',
  duration: 'Duration',
  actions: 'Actions',
  redeliver: 'Send again',
  empty: 'There are no attempts yet.',
  test: '(test)',
  deleted: 'Deleted',
  connections: {
    connecting: 'Connecting…',
    live: 'Live',
    interrupted: 'Connection lost. Connecting again…',
    ended: 'Not live',
  },
  redeliverOf: ({ delivery, number }) =>
    `Send again: ${delivery?.eventType.name}, attempt ${number}`,
  succeeded: ({ status }) => `Delivered (HTTP ${status})`,
  failed: (attempt) => `Failed: ${failureText(attempt)}`,
  milliseconds: (ms) => `${ms.toLocaleString()} ms`,
}

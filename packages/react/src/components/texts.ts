import type { PosthornError } from '../client/posthorn-error.ts'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'

/** The texts that all components share. */
export interface CommonTexts {
  readonly loading: string
  readonly retry: string
  /** Why there is nothing to show. */
  error(error: PosthornError): string
  /** An RFC 3339 time, for people. */
  time(time: string): string
}

export const COMMON_TEXTS: CommonTexts = {
  loading: 'Loading…',
  retry: 'Try again',
  error({ code, message }) {
    if (code === 'UNAUTHENTICATED' || code === 'NO_TOKEN') {
      return 'Your session has ended. Sign in again.'
    }
    if (code === 'FORBIDDEN') return 'You may not see this.'
    return message
  },
  time: (time) => new Date(time).toLocaleString(),
}

export const WEBHOOK_STATES: Readonly<Record<WebhookState, string>> = {
  BEHIND: 'Behind',
  DEGRADED: 'Degraded',
  DISABLED: 'Disabled',
  FAILING: 'Failing',
  HEALTHY: 'Healthy',
  NO_DELIVERIES: 'No deliveries yet',
  ON_HOLD: 'On hold',
}

export const DELIVERY_STATES: Readonly<Record<DeliveryState, string>> = {
  CANCELED: 'Canceled',
  EXHAUSTED: 'All attempts failed',
  QUEUED: 'Queued',
  RETRYING: 'Will be tried again',
  SUCCEEDED: 'Delivered',
  WAITING: 'Waiting',
}

/** Why an attempt failed: the status of its response, or why there was none. */
export function failureText({ status, error, cause }: Failure): string {
  return status == null ? (error ?? cause ?? 'Failed') : `HTTP ${status}`
}

interface Failure {
  readonly status?: number | null
  readonly error?: string | null
  readonly cause?: string | null
}

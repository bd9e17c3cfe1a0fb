import {
  KEY_FILTERS,
  optionsOf,
  readKey,
  readList,
  readOptions,
  TIME_FILTERS,
  type TimeBounds,
} from '../../components/filters/filter-params.ts'
import type { AttemptFilter, DeliveryFilter, StatusClass } from '../../generated/graphql.ts'
import { key } from '../../language/t.ts'
import { DELIVERY_STATES } from '../delivery-states.ts'
import { causeLabel, ERROR_CODES } from './cause-labels.ts'

/** The query parameters. The time is that of attempts: a delivery of yesterday can have failed a minute ago. */
export const DELIVERY_FILTERS = [
  ...(['webhook', 'state', 'status', 'cause', 'type', 'duration'] as const),
  ...TIME_FILTERS,
  ...KEY_FILTERS,
]

type Values = Readonly<Partial<Record<(typeof DELIVERY_FILTERS)[number], string | null>>>

const FAILURES: readonly StatusClass[] = [
  'REDIRECTION_3XX',
  'CLIENT_ERROR_4XX',
  'SERVER_ERROR_5XX',
  'NO_RESPONSE',
]

export const RESPONSES = optionsOf<StatusClass | 'FAILED'>({
  FAILED: 'Any failure',
  SUCCESS_2XX: '2xx: succeeded',
  REDIRECTION_3XX: '3xx: redirected',
  CLIENT_ERROR_4XX: '4xx: rejected',
  SERVER_ERROR_5XX: '5xx: failed',
  NO_RESPONSE: key('No response'),
})

/** Durations of slow attempts, in milliseconds. */
export const DURATIONS = optionsOf({
  1000: '1 s or more',
  5000: '5 s or more',
  10000: '10 s or more',
})

const STATUSES = [400, 401, 403, 404, 408, 410, 413, 422, 429, 500, 502, 503, 504].map(String)

/** Causes to choose from: usual statuses, and all errors without a response. */
export const CAUSES = [
  ...STATUSES.map((value) => ({ value, label: value })),
  ...ERROR_CODES.map((value) => ({ value, label: causeLabel(value) })),
]

/** Any status can be typed. */
export function causeOf(text: string): string | null {
  return /^[1-9]\d\d$/.test(text) ? text : null
}

/**
 * The filter for the API. A response alone is that of the last attempt; with a cause, a duration or a time, any attempt of the
 * delivery may match. `onlyWebhookId` fixes the webhook.
 */
export function deliveryFilter(
  { webhook = null, state = null, status = null, cause = null, type = null, ...values }: Values,
  attempted: TimeBounds,
  onlyWebhookId: string | null,
): DeliveryFilter {
  const chosen = readOptions(status, RESPONSES)
  const response = some({
    statusClasses: [...new Set(chosen.flatMap((one) => (one === 'FAILED' ? FAILURES : one)))],
  })
  const [duration] = readOptions(values.duration ?? null, DURATIONS)
  const attempt: AttemptFilter = {
    ...attempted,
    ...(duration && { minDurationMs: Number(duration) }),
    ...some({ causes: readList(cause) }),
  }
  const searched = readKey({ key: values.key ?? null, value: values.value ?? null })
  return {
    ...some({
      webhookIds: onlyWebhookId ? [onlyWebhookId] : readList(webhook),
      states: readOptions(state, DELIVERY_STATES),
      eventTypes: readList(type),
    }),
    ...(searched && { key: searched }),
    ...(Object.keys(attempt).length > 0 ? { anyAttempt: { ...attempt, ...response } } : response),
  }
}

/** The lists that are not empty. */
function some<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists) {
  const given = Object.entries(lists).filter(([, list]) => list.length > 0)
  return Object.fromEntries(given) as { [Name in keyof Lists]?: [...Lists[Name]] }
}

import type { WebhookSettings } from './use-webhook.ts'

/** What a form can set. Options that are null have the default of the server. */
export interface WebhookValues {
  readonly url: string
  readonly description: string
  readonly enabled: boolean
  readonly eventSubscriptions: readonly string[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly ordered: boolean
  readonly maxInFlight: number | null
  readonly rateLimitPerSecond: number | null
  readonly timeoutSeconds: number | null
  readonly retryScheduleSeconds: readonly number[] | null
}

export const NEW_WEBHOOK: WebhookValues = {
  url: '',
  description: '',
  enabled: true,
  eventSubscriptions: [],
  headers: [],
  ordered: false,
  maxInFlight: null,
  rateLimitPerSecond: null,
  timeoutSeconds: null,
  retryScheduleSeconds: null,
}

export function valuesOf(webhook: WebhookSettings): WebhookValues {
  const { id: _id, updatedAt: _updatedAt, description, ...settings } = webhook
  return { ...NEW_WEBHOOK, ...settings, description: description ?? '' }
}

/** Only what differs, so that a form overwrites nothing that it did not show, such as masked headers. */
export function changesOf(values: WebhookValues, base: WebhookValues): Partial<WebhookValues> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(base[name as keyof WebhookValues]),
    ),
  )
}

/** An empty description is none. */
export function inputOf<Values extends Partial<WebhookValues>>(values: Values) {
  return values.description === '' ? { ...values, description: null } : values
}

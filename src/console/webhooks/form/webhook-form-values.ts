import { randomId } from '@mantine/hooks'
import type { UpdateWebhookInput, WebhookSettingsFragment } from '../../generated/graphql.ts'

export interface HeaderRow {
  /** Identifies the row while its name is typed. */
  readonly key: string
  name: string
  value: string
}

/** The values of the form. An unset number is an empty string, as in its input. */
export interface WebhookFormValues {
  url: string
  description: string
  enabled: boolean
  eventSubscriptions: string[]
  headers: HeaderRow[]
  rateLimitPerSecond: number | string
  maxInFlight: number | string
  timeoutSeconds: number | string
  /** Null: the default schedule. Empty: no retries. */
  retryScheduleSeconds: number[] | null
  ordered: boolean
}

/** Whether the header values are masked: the viewer may not read secrets, or no key can decrypt the values. */
export function areMasked(headers: readonly { name: string; value: string }[]): boolean {
  return headers.some(({ name, value }) => value === '•••' || name === '(unreadable)')
}

export const NEW_WEBHOOK: WebhookFormValues = {
  url: '',
  description: '',
  enabled: true,
  eventSubscriptions: [],
  headers: [],
  rateLimitPerSecond: '',
  maxInFlight: '',
  timeoutSeconds: '',
  retryScheduleSeconds: null,
  ordered: false,
}

export function headerRow(name = '', value = ''): HeaderRow {
  return { key: randomId(), name, value }
}

export function valuesOf(webhook: WebhookSettingsFragment): WebhookFormValues {
  return {
    url: webhook.url,
    description: webhook.description ?? '',
    enabled: webhook.enabled,
    eventSubscriptions: [...webhook.eventSubscriptions],
    headers: webhook.headers.map(({ name, value }) => headerRow(name, value)),
    rateLimitPerSecond: webhook.rateLimitPerSecond ?? '',
    maxInFlight: webhook.maxInFlight ?? '',
    timeoutSeconds: webhook.timeoutSeconds ?? '',
    retryScheduleSeconds: webhook.retryScheduleSeconds ? [...webhook.retryScheduleSeconds] : null,
    ordered: webhook.ordered,
  }
}

export function inputOf(values: WebhookFormValues) {
  return {
    url: values.url.trim(),
    description: values.description.trim() || null,
    enabled: values.enabled,
    eventSubscriptions: values.eventSubscriptions,
    headers: values.headers.map(({ name, value }) => ({ name: name.trim(), value })),
    rateLimitPerSecond: numberOrNull(values.rateLimitPerSecond),
    maxInFlight: numberOrNull(values.maxInFlight),
    timeoutSeconds: numberOrNull(values.timeoutSeconds),
    retryScheduleSeconds: values.retryScheduleSeconds,
    ordered: values.ordered,
  }
}

/** The changed fields only: this keeps concurrent changes of other fields, and never sends a mask back. */
export function changesOf(before: WebhookFormValues, after: WebhookFormValues): UpdateWebhookInput {
  const old = inputOf(before)
  return Object.fromEntries(
    Object.entries(inputOf(after)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old]),
    ),
  )
}

function numberOrNull(value: number | string): number | null {
  return value === '' ? null : Number(value)
}

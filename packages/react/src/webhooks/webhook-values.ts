import type { PosthornWebhookSettingsFragment } from '../generated/graphql.ts'

/** What a form can set. Options that are null have the default of the server. */
export interface WebhookValues {
  readonly url: string
  readonly description: string
  readonly enabled: boolean
  readonly eventSubscriptions: readonly string[]
  /** GraphQL that selects the data of the body. At most one of this and `template`. Null: none. */
  readonly selection: string | null
  /** JSON with placeholders that is the whole body. Null: none. */
  readonly template: string | null
  /** Null: the stored headers stay, which no encryption key of Posthorn can read. */
  readonly headers: readonly HeaderValue[] | null
  readonly ordered: boolean
  readonly maxInFlight: number | null
  readonly rateLimitPerSecond: number | null
  readonly timeoutSeconds: number | null
  readonly retryScheduleSeconds: readonly number[] | null
}

/** A header of a webhook. Without a value, a stored header keeps its value, which the form does not know. */
export interface HeaderValue {
  readonly name: string
  readonly value?: string
  /** The name of the stored header whose value to keep. Default: `name`. */
  readonly previousName?: string
}

export const NEW_WEBHOOK: WebhookValues = {
  url: '',
  description: '',
  enabled: true,
  eventSubscriptions: [],
  selection: null,
  template: null,
  headers: [],
  ordered: false,
  maxInFlight: null,
  rateLimitPerSecond: null,
  timeoutSeconds: null,
  retryScheduleSeconds: null,
}

export function valuesOf(webhook: PosthornWebhookSettingsFragment): WebhookValues {
  const { id: _id, updatedAt: _at, revision: _revision, ...rest } = webhook
  const { description, headerNames, subscriptions, ...settings } = rest
  const headers = formValueOf('headers', headerNames)
  return {
    ...NEW_WEBHOOK,
    ...settings,
    eventSubscriptions: subscriptions,
    headers,
    description: formValueOf('description', description),
  }
}

/** A value of the input as the form has it. Of headers, only the names are known. */
export function formValueOf<Name extends keyof WebhookValues>(
  name: Name,
  value: unknown,
): WebhookValues[Name] {
  const converted =
    name === 'headers'
      ? ((value as readonly string[] | null)?.map((header) => ({ name: header })) ?? null)
      : name === 'description'
        ? (value ?? '')
        : value
  return converted as WebhookValues[Name]
}

/** A value with what it replaces: a webhook has a selection or a template. */
export function editOf<Name extends keyof WebhookValues>(
  name: Name,
  value: WebhookValues[Name],
): Partial<WebhookValues> {
  const other = name === 'selection' ? 'template' : name === 'template' ? 'selection' : null
  return { [name]: value, ...(other !== null && value !== null && { [other]: null }) }
}

/** Only what differs, so that a form overwrites nothing that it did not show. */
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

/** A new webhook has no stored values: the problem of a header without a value is Posthorn's to describe. */
export function newWebhookOf(values: WebhookValues) {
  const headers = (values.headers ?? []).map(({ name, value = '' }) => ({ name, value }))
  return { ...inputOf(values), headers }
}

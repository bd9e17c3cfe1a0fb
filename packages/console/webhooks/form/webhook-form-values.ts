import { compactJson, formatJson } from '../../components/json/format-json.ts'
import type { UpdateWebhookInput, WebhookSettingsFragment } from '../../generated/graphql.ts'
import { type Labels, parseLabels, printLabels } from '../../lib/labels.ts'
import { type HeaderRow, headerInput, storedHeaderRow } from './header-row.ts'
import { type NumberSetting, ofNumberSettings } from './number-settings.ts'

/** The values of the form. An unset number is an empty string, as in its input. */
export interface WebhookFormValues extends Record<NumberSetting, number | string> {
  url: string
  description: string
  enabled: boolean
  /** The names of event types, and patterns such as `order.*`. */
  eventSubscriptions: string[]
  /** The text of the filter's JSON. Empty: no filter. */
  filter: string
  /** What each delivery contains. The texts of both choices stay while the reader compares them. */
  body: 'event' | 'selection' | 'template'
  selection: string
  template: string
  uid: string
  /** The text of the labels. */
  metadata: string
  headers: HeaderRow[]
  /** Null: the default schedule. Empty: no retries. */
  retryScheduleSeconds: number[] | null
  ordered: boolean
  keepPayloads: boolean
  keepResponseBodies: boolean
}

export const NEW_WEBHOOK: WebhookFormValues = {
  url: '',
  description: '',
  enabled: true,
  eventSubscriptions: [],
  filter: '',
  body: 'event',
  selection: '',
  template: '',
  uid: '',
  metadata: '',
  headers: [],
  ...ofNumberSettings(() => ''),
  retryScheduleSeconds: null,
  ordered: false,
  keepPayloads: true,
  keepResponseBodies: true,
}

export function valuesOf(webhook: WebhookSettingsFragment): WebhookFormValues {
  return {
    url: webhook.url,
    description: webhook.description ?? '',
    enabled: webhook.enabled,
    eventSubscriptions: [...webhook.subscriptions],
    filter: formatJson(webhook.filterText ?? '') ?? '',
    body: webhook.selection ? 'selection' : webhook.template ? 'template' : 'event',
    selection: webhook.selection ?? '',
    template: webhook.template ?? '',
    uid: webhook.uid ?? '',
    metadata: printLabels(webhook.metadata as Labels),
    headers: webhook.headerNames.map(storedHeaderRow),
    ...ofNumberSettings((name) => webhook[name] ?? ''),
    retryScheduleSeconds: webhook.retryScheduleSeconds ? [...webhook.retryScheduleSeconds] : null,
    ordered: webhook.ordered,
    keepPayloads: webhook.keepPayloads,
    keepResponseBodies: webhook.keepResponseBodies,
  }
}

export function inputOf(values: WebhookFormValues) {
  return {
    url: values.url.trim(),
    description: values.description.trim() || null,
    enabled: values.enabled,
    eventSubscriptions: values.eventSubscriptions,
    filterText: compactJson(values.filter) || null,
    selection: values.body === 'selection' ? values.selection : null,
    template: values.body === 'template' ? values.template : null,
    uid: values.uid.trim() || null,
    metadata: parseLabels(values.metadata),
    headers: values.headers.map(headerInput),
    ...ofNumberSettings((name) => (values[name] === '' ? null : Number(values[name]))),
    retryScheduleSeconds: values.retryScheduleSeconds,
    ordered: values.ordered,
    keepPayloads: values.keepPayloads,
    keepResponseBodies: values.keepResponseBodies,
  }
}

/** The input of a new webhook: each header has a value. */
export function newWebhookOf(values: WebhookFormValues) {
  const headers = values.headers.map(({ name, value }) => ({ name: name.trim(), value }))
  const { uid, metadata, ...input } = inputOf(values)
  // The portal has no fields for own names, and its sessions cannot set them.
  const ownNames = { ...(uid !== null && { uid }), ...(values.metadata.trim() && { metadata }) }
  return { ...input, ...ownNames, headers }
}

/** The changed fields only, so that concurrent changes of other fields stay. */
export function changesOf(before: WebhookFormValues, after: WebhookFormValues): UpdateWebhookInput {
  const old = inputOf(before)
  return Object.fromEntries(
    Object.entries(inputOf(after)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old]),
    ),
  )
}

/** The new origin, if the URL of a webhook moves to another one. Stored header values may be credentials of the old one. */
export function newOrigin(before: WebhookFormValues, { url }: WebhookFormValues): string | null {
  const origin = URL.parse(url.trim())?.origin ?? null
  const previous = URL.parse(before.url)?.origin ?? null
  return previous === null || origin === previous ? null : origin
}

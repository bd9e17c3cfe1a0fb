import { compactJson, formatJson } from '../../components/json/format-json.ts'
import type {
  CreateWebhookInput,
  UpdateWebhookInput,
  WebhookSettingsFragment,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { isOn, type Setting, type SettingName, settings, type Value } from './settings.ts'

/** The values of the form. An unset number is an empty string, as in its input. */
export interface WebhookFormValues extends Record<SettingName, Value> {
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
}

/** A value for each setting below Advanced. */
function ofSettings<T>(read: (name: SettingName, setting: Setting) => T) {
  const entries = settings.map(([name, setting]) => [name, read(name, setting)])
  return Object.fromEntries(entries) as Record<SettingName, T>
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
  ...ofSettings((name, { field }) => (field.kind === 'switch' ? isOn(name) : '')),
}

export function valuesOf(webhook: WebhookSettingsFragment): WebhookFormValues {
  const given = webhook as unknown as Readonly<Partial<Record<string, Value>>>
  return {
    url: webhook.url,
    description: webhook.description ?? '',
    enabled: webhook.enabled,
    eventSubscriptions: [...webhook.subscriptions],
    filter: formatJson(webhook.filterText ?? '') ?? '',
    body: webhook.selection ? 'selection' : webhook.template ? 'template' : 'event',
    selection: webhook.selection ?? '',
    template: webhook.template ?? '',
    ...ofSettings((name, { read }) => (read ? read(webhook) : (given[name] ?? ''))),
  }
}

function inputOf(values: WebhookFormValues): UpdateWebhookInput {
  return {
    url: values.url.trim(),
    description: values.description.trim() || null,
    enabled: values.enabled,
    eventSubscriptions: values.eventSubscriptions,
    filterText: compactJson(values.filter) || null,
    selection: values.body === 'selection' ? values.selection : null,
    template: values.body === 'template' ? values.template : null,
    ...ofSettings((name, { field, write }) => {
      const value = values[name]
      if (field.kind === 'switch') return value
      // A cleared choice is null.
      const text = String(value ?? '').trim()
      if (write) return write(text)
      return text === '' ? null : field.kind === 'number' ? Number(text) : text
    }),
  } as UpdateWebhookInput
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

export const newWebhookOf = (values: WebhookFormValues): CreateWebhookInput => ({
  ...changesOf(NEW_WEBHOOK, values),
  url: values.url.trim(),
  enabled: values.enabled,
  eventSubscriptions: values.eventSubscriptions,
})

/** Whether every setting below Advanced is its default. */
export const isPlain = (values: WebhookFormValues) =>
  settings.every(([name]) => values[name] === NEW_WEBHOOK[name])

/** What is wrong with the fields, as far as no request is needed to know. The server knows the other rules. */
export function checkWebhook(values: WebhookFormValues): Record<string, string> {
  const { url, eventSubscriptions, filter, body } = values
  const errors: Record<string, string | false | undefined> = {
    url:
      url.trim() === ''
        ? t('Enter the URL of your endpoint.')
        : !/^https:/i.test(url.trim()) && t('Enter a URL that begins with https://.'),
    eventSubscriptions: eventSubscriptions.length === 0 && t('Choose at least one event type.'),
    filter: filter.trim() !== '' && formatJson(filter) === null && 'Correct the JSON.',
    [body]:
      body !== 'event' && values[body].trim() === '' && 'Enter a text, or choose the whole event.',
    ...ofSettings((name, { check }) => check?.(String(values[name]))),
  }
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, error]) => (error ? [[field, error]] : [])),
  )
}

/** The new origin, if the URL of a webhook moves to another one. Stored header values may be credentials of the old one. */
export function newOrigin(before: WebhookFormValues, { url }: WebhookFormValues): string | null {
  const origin = URL.parse(url.trim())?.origin ?? null
  const previous = URL.parse(before.url)?.origin ?? null
  return previous === null || origin === previous ? null : origin
}

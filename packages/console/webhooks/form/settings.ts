import { labelsError } from '../../components/forms/labels-error.ts'
import type { WebhookDefaultsQuery, WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { type Labels, parseLabels, printLabels } from '../../lib/labels.ts'
import { portalLink } from '../../session/portal.ts'
import { parseHeaders, printHeaders } from '../headers/header-lines.ts'
import { parseDelays, printDelays, summaryOf } from './retry-schedule.ts'

export type Defaults = WebhookDefaultsQuery['defaultSettings'] | undefined

/** What a field has. An unset one is empty. */
export type Value = string | number | boolean

export interface Setting {
  readonly label: string
  /** What the setting does, and the default in words. */
  readonly description: string | ((defaults: Defaults) => string)
  /** The kind of field, with what only this kind has. Lines: a text of several. */
  readonly field:
    | { readonly kind: 'number'; readonly max: number; readonly suffix?: string }
    | { readonly kind: 'choice'; readonly data: readonly string[] }
    | { readonly kind: 'text' | 'lines'; readonly placeholder?: string }
    | { readonly kind: 'switch' }
  /** Default: the setting as it is. */
  read?(webhook: WebhookSettingsFragment): Value
  /** The input that a text becomes. Default: the text as it is. */
  write?(text: string): unknown
  /** What is wrong with a text that `write` cannot read. The server knows the other rules. */
  check?(text: string): string | false
  /** On the page of the webhook. Empty: not there. */
  shown?(webhook: WebhookSettingsFragment): string | null | undefined
  /** Whether sessions of the portal can neither see nor set it. */
  readonly isOwn?: boolean
}

/** The settings that are rarely set: their fields below Advanced, and how the page of the webhook shows them. */
const SETTINGS = {
  headers: {
    label: t('Custom headers'),
    description:
      'Sent with every delivery, one per line, such as credentials for your receiver. Stored encrypted: dots keep the stored value. Use hyphens in names: some servers drop headers with an underscore. Default: none.',
    field: { kind: 'lines', placeholder: 'X-Api-Key: s3cret' },
    read: ({ headerNames }) => printHeaders(headerNames),
    write: parseHeaders,
    check: (text) =>
      parseHeaders(text) === null &&
      'Write each header on a line of its own, such as X-Api-Key: s3cret.',
  },
  retryScheduleSeconds: {
    label: t('Retries'),
    description: (defaults) =>
      `Delays after failed attempts, such as 5s, 30m, 2h, or none. A Retry-After header in the response can delay the next attempt by up to a day.${
        defaults ? ` Default: ${summaryOf(defaults.retryScheduleSeconds)}.` : ''
      }`,
    field: { kind: 'text', placeholder: '5s, 5m, 30m, 2h' },
    read: ({ retryScheduleSeconds }) => printDelays(retryScheduleSeconds),
    write: parseDelays,
    check: (text) =>
      parseDelays(text) === undefined && 'Write delays such as 5s, 30m, 2h, or none.',
    shown: ({ retryScheduleSeconds, effectiveSettings: { retryScheduleSeconds: delays } }) =>
      `${summaryOf(delays)}: ${printDelays(delays)}${orDefault(retryScheduleSeconds)}`,
  },
  timeoutSeconds: {
    label: t('Timeout'),
    description: (defaults) =>
      `Maximum time for a response, up to 30 s.${
        defaults ? ` Default: ${formatDuration(1_000 * defaults.timeoutSeconds)}.` : ''
      }`,
    field: { kind: 'number', max: 30, suffix: ' s' },
    shown: ({ timeoutSeconds, effectiveSettings }) =>
      formatDuration(1_000 * effectiveSettings.timeoutSeconds) + orDefault(timeoutSeconds),
  },
  rateLimitPerSecond: {
    label: t('Rate limit'),
    description: 'Maximum attempts per second, across all processes. Default: no limit.',
    field: { kind: 'number', max: 10_000, suffix: ' per second' },
    shown: ({ rateLimitPerSecond: limit }) =>
      limit ? `${formatCount(limit)} per second` : t('None'),
  },
  maxInFlight: {
    label: 'Concurrency',
    description: 'Maximum parallel requests per worker. Default: adaptive.',
    field: { kind: 'number', max: 200 },
    shown: ({ maxInFlight }) => maxInFlight?.toString() ?? 'Adaptive',
  },
  ordered: {
    label: 'Ordered',
    description:
      'Sends one delivery at a time, in the order of the events: 10 per second if the receiver takes 100 ms. A failing delivery blocks later ones until it succeeds or is exhausted; a short retry schedule limits the wait. Default: off.',
    field: { kind: 'switch' },
    shown: ({ ordered }) => (ordered ? 'Yes' : 'No'),
  },
  headerPrefix: {
    label: 'Header prefix',
    description:
      'Begins the names of the headers id, timestamp and signature, for receivers of another sender. Default: that of this installation.',
    field: { kind: 'choice', data: ['wh-', 'webhook-', 'svix-'] },
    shown: ({ headerPrefix }) => headerPrefix,
  },
  keepPayloads: {
    label: 'Keep payloads after delivery',
    description:
      'Otherwise the payload is erased within minutes after it was delivered, or 7 days after the last failed attempt, and can no longer be redelivered. Default: on, unless the organization keeps none.',
    field: { kind: 'switch' },
    shown: ({ effectiveSettings }) => (effectiveSettings.keepPayloads ? 'Yes' : 'No'),
  },
  keepResponseBodies: {
    label: 'Keep response bodies',
    description:
      'Otherwise attempts show the status, the headers and the size. Default: on, unless the organization keeps none.',
    field: { kind: 'switch' },
    shown: ({ effectiveSettings }) => (effectiveSettings.keepResponseBodies ? 'Yes' : 'No'),
  },
  uid: {
    label: 'Uid',
    description: 'A name of your own, unique among your webhooks. Default: none.',
    field: { kind: 'text' },
    shown: ({ uid }) => uid,
    isOwn: true,
  },
  metadata: {
    label: 'Labels',
    description: 'One per line, for your own programs. They are not secret. Default: none.',
    field: { kind: 'lines', placeholder: 'team=payments' },
    read: ({ metadata }) => printLabels(metadata as Labels),
    write: parseLabels,
    check: labelsError,
    shown: ({ metadata }) => printLabels(metadata as Labels).replaceAll('\n', ', '),
    isOwn: true,
  },
} satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

/** The settings that the reader may see. */
export const settings = (Object.entries(SETTINGS) as [SettingName, Setting][]).filter(
  ([, { isOwn }]) => !isOwn || portalLink === null,
)

/** Whether a switch is on by default. */
export const isOn = (name: SettingName) => name === 'keepPayloads' || name === 'keepResponseBodies'

/** The settings on the page of a webhook. */
export const factsOf = (webhook: WebhookSettingsFragment) =>
  settings.flatMap(([name, { label, shown }]) => {
    const value = shown?.(webhook)
    const given = name === 'headers' || webhook[name]
    return value ? [{ label, value, isDefault: given == null || given === isOn(name) }] : []
  })

const orDefault = (given: unknown) => (given == null ? ` ${t('(default)')}` : '')

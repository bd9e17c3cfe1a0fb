import type { WebhookDefaultsQuery, WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'

type Defaults = WebhookDefaultsQuery['defaultSettings'] | undefined

/** The settings of a webhook that are numbers: their fields in the form, their bounds, and how the page shows them. */
export const NUMBER_SETTINGS = [
  {
    name: 'rateLimitPerSecond',
    min: 1,
    max: 10_000,
    label: () => t('Rate limit'),
    description: 'Maximum attempts per second, across all processes. Empty: no limit.',
    suffix: ' per second',
    placeholder: () => 'No limit',
    shown: ({ rateLimitPerSecond }: WebhookSettingsFragment) =>
      rateLimitPerSecond ? `${formatCount(rateLimitPerSecond)} per second` : t('None'),
  },
  {
    name: 'maxInFlight',
    min: 1,
    max: 200,
    label: () => 'Concurrency',
    description: 'Maximum parallel requests per worker. Empty: adaptive.',
    suffix: '',
    placeholder: () => 'Adaptive',
    shown: ({ maxInFlight }: WebhookSettingsFragment) => maxInFlight ?? 'Adaptive',
  },
  {
    name: 'timeoutSeconds',
    min: 1,
    max: 30,
    label: () => t('Timeout'),
    description: 'Maximum time for a response, up to 30 s. Empty: the default.',
    suffix: ' s',
    placeholder: (defaults: Defaults) =>
      defaults ? `${formatDuration(1_000 * defaults.timeoutSeconds)} ${t('(default)')}` : 'Default',
    shown: ({ timeoutSeconds, effectiveSettings }: WebhookSettingsFragment) =>
      formatDuration(1_000 * effectiveSettings.timeoutSeconds) +
      (timeoutSeconds == null ? ` ${t('(default)')}` : ''),
  },
] as const

export type NumberSetting = (typeof NUMBER_SETTINGS)[number]['name']

/** A value for each of these settings. */
export function ofNumberSettings<T>(read: (name: NumberSetting) => T): Record<NumberSetting, T> {
  const entries = NUMBER_SETTINGS.map(({ name }) => [name, read(name)])
  return Object.fromEntries(entries) as Record<NumberSetting, T>
}

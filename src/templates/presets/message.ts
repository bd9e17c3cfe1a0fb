import { OPERATIONAL_PREFIX } from '../../event-types/event-type.ts'
import type { PresetSource } from './preset.ts'
import { shownFields } from './shown-fields.ts'

/** What a message says, in texts of a template: without their placeholders, they are plain texts. */
export interface Message {
  /** One line. */
  readonly title: string
  /** A sentence, at most. Null: the title says all. */
  readonly summary: string | null
  readonly fields: readonly { readonly label: string; readonly value: string }[]
  readonly link: { readonly label: string; readonly url: string } | null
}

/** The characters of what a message takes from an event. */
export const MAX_TITLE = 140
export const MAX_SUMMARY = 1_000
export const MAX_FIELD = 200

/** Presets use single quotes, so that their templates are JSON for every editor. */
const NO_VALUE = "default('–')"
const TIME = "date('yyyy-MM-dd HH:mm')"

/** The message about an event of a type. Notices say in words what happened. */
export function messageOf(source: PresetSource): Message {
  if (source.name.startsWith(OPERATIONAL_PREFIX)) return noticeMessage(source)
  return {
    title: `{{ event.type | truncate(${MAX_TITLE}) }}`,
    summary: null,
    fields: shownFields(source.schema, source.example).map(({ label, path, isTime }) => ({
      label: plain(isTime ? `${label} (UTC)` : label),
      value: fieldValue(path, isTime),
    })),
    link: source.hasLinks ? { label: 'Show the delivery', url: '{{ delivery.url }}' } : null,
  }
}

/** One message for all operational event types: a webhook may subscribe to several. */
function noticeMessage({ hasLinks }: PresetSource): Message {
  return {
    title: `Posthorn: {{ $.organization.name | default('notice') | truncate(${MAX_TITLE - 10}) }}`,
    summary: `{{ $.summary | default('Posthorn has a notice.') | truncate(${MAX_SUMMARY}) }}`,
    fields: [
      { label: 'Notice', value: `{{ event.type | truncate(${MAX_FIELD}) }}` },
      { label: 'Time (UTC)', value: `{{ event.occurredAt | ${TIME} }}` },
      { label: 'Severity', value: fieldValue('$.alert.severity', false) },
      { label: 'Last error', value: fieldValue('$.last_error', false) },
    ],
    link: hasLinks ? { label: 'Show in Posthorn', url: '{{ $.link | truncate(1000) }}' } : null,
  }
}

function fieldValue(path: string, isTime: boolean): string {
  return `{{ ${path}${isTime ? ` | ${TIME}` : ''} | ${NO_VALUE} | truncate(${MAX_FIELD}) }}`
}

/** A text in which no placeholder begins. */
function plain(text: string): string {
  return text.replaceAll('{', '\uff5b')
}

/** The text of a template. `"{{ … }}"` as a whole string stays a string. */
export function printTemplate(body: object): string {
  return JSON.stringify(body, null, 2)
}

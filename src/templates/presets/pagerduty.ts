import { OPERATIONAL_PREFIX } from '../../event-types/event-type.ts'
import { MAX_FIELD, messageOf, printTemplate } from './message.ts'
import type { Preset } from './preset.ts'

/** Stands in place of the integration key of a service. PagerDuty rejects the message until a person replaces it. */
export const ROUTING_KEY_PLACEHOLDER = 'REPLACE_WITH_YOUR_ROUTING_KEY'

export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

/** The Events API v2 of PagerDuty. A notice of a recovery resolves the alerts of its webhook. */
export const PAGERDUTY: Preset = {
  target: 'pagerduty',
  name: 'PagerDuty',
  urlHint: PAGERDUTY_URL,
  template: (source) => {
    const { title, summary, fields, link } = messageOf(source)
    const isNotice = source.name.startsWith(OPERATIONAL_PREFIX)
    return printTemplate({
      routing_key: ROUTING_KEY_PLACEHOLDER,
      event_action: isNotice ? "{{ $.alert.action | default('trigger') }}" : 'trigger',
      dedup_key: isNotice
        ? `{{ $.alert.key | default('posthorn') | truncate(${MAX_FIELD}) }}`
        : '{{ event.id }}',
      payload: {
        summary: summary ?? title,
        severity: isNotice ? "{{ $.alert.severity | default('warning') }}" : 'info',
        source: isNotice
          ? `{{ $.webhook.host | default('Posthorn') | truncate(${MAX_FIELD}) }}`
          : 'Posthorn',
        timestamp: '{{ event.occurredAt }}',
        class: `{{ event.type | truncate(${MAX_FIELD}) }}`,
        custom_details: Object.fromEntries(fields.map(({ label, value }) => [label, value])),
      },
      client: 'Posthorn',
      ...(link && { client_url: link.url }),
    })
  },
}

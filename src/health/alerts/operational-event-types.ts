const organization = { id: 'org_01k6z0c8p2e4v9xq7m3t5a1bcd', name: 'Harvest Fair' }
const webhook = {
  id: 'wh_01k6z0c8p2e4v9xq7m3t5a1bcd',
  host: 'hooks.example.com',
  description: 'Ticketing',
}
const link = `https://posthorn.example.com/console/webhooks/${webhook.id}`
const apiKey = {
  api_key: {
    id: 'key_01k6z0c8p2e4v9xq7m3t5a1bcd',
    name: 'Backend',
    token_hint: 'phk_4Qx1',
    scopes: ['events:publish'],
    expires_at: '2026-12-04T12:00:00Z',
  },
  organization,
  link: 'https://posthorn.example.com/console/api-keys',
}
const since = '2026-11-27T12:00:00Z'
const lastError = 'The receiver responded with 503.'

/** The operational event types, each with the facts that an example has beside its subject. */
const TYPES = {
  'posthorn.webhook.degraded': {
    description: 'A webhook is degraded: a share of its deliveries fails.',
    facts: {
      state: 'degraded',
      since,
      deliveries: 100,
      failed_deliveries: 23,
      last_error: lastError,
    },
  },
  'posthorn.webhook.behind': {
    description: 'A webhook is behind: its oldest delivery has waited for too long.',
    facts: {
      state: 'behind',
      since,
      cause: 'rate_limit',
      waiting: 1_364,
      oldest_waiting_at: '2026-11-27T11:54:00Z',
    },
  },
  'posthorn.webhook.failing': {
    description: 'A webhook is failing: no delivery has succeeded since its first failure.',
    facts: { state: 'failing', since, consecutive_failures: 10, last_error: lastError },
  },
  'posthorn.webhook.on_hold': {
    description:
      'A webhook is on hold, because it kept failing. Its deliveries wait, and one at a time tests the endpoint.',
    facts: {
      state: 'on_hold',
      since,
      failing_since: '2026-11-27T11:58:00Z',
      consecutive_failures: 10,
      last_error: lastError,
      next_probe_at: '2026-11-27T12:00:30Z',
    },
  },
  'posthorn.webhook.recovered': {
    description:
      'A webhook recovered from the state that its last alert reported. `since` is the time of that alert.',
    facts: { state: 'healthy', previous_state: 'on_hold', since },
  },
  'posthorn.delivery.exhausted': {
    description:
      'All attempts of a delivery failed. The first one of a webhook is reported at once, and those of the hour afterwards in one event: `count` is their number, and `delivery` the last of them.',
    facts: {
      count: 1,
      delivery: {
        id: 'msg_01k6z0c8p2e4v9xq7m3t5a1bcd',
        event_type: 'event_attendee.joined_event',
        attempts: 10,
      },
      last_error: lastError,
    },
  },
  'posthorn.secret.rotated': {
    description:
      'The signing secret of a webhook was rotated. The old one signs nothing more, and expires after 24 hours.',
    facts: { old_secret_expires_at: '2026-11-28T12:00:00Z' },
  },
  'posthorn.secret.expiring': {
    description: 'An old signing secret of a webhook expires within 4 hours.',
    facts: { expires_at: '2026-11-27T16:00:00Z' },
  },
  'posthorn.api_key.created': {
    description: 'An API key was created.',
  },
  'posthorn.api_key.expiring': {
    description: 'An API key expires within 7 days.',
  },
} satisfies Record<string, Type>

interface Type {
  readonly description: string
  readonly facts?: object
}

export type OperationalEventType = keyof typeof TYPES

export const OPERATIONAL_EVENT_TYPES = Object.keys(TYPES) as OperationalEventType[]

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const subject = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
})
const PROPERTIES = {
  organization: subject(['id', 'name'], { id: text, name: text }),
  webhook: subject(['id', 'host'], {
    id: text,
    host: text,
    description: { type: ['string', 'null'] },
  }),
  api_key: subject(['id', 'scopes'], {
    id: text,
    name: { type: ['string', 'null'] },
    scopes: { type: 'array', items: text },
    expires_at: { type: ['string', 'null'] },
  }),
  link: text,
  summary: text,
  alert: subject(['action', 'severity', 'key'], {
    action: { enum: ['trigger', 'resolve'] },
    severity: { enum: ['critical', 'error', 'warning', 'info'] },
    key: text,
  }),
  state: text,
  since: time,
  last_error: { type: ['string', 'null'] },
  count: { type: 'integer', minimum: 1 },
}

/**
 * The types as the catalogue has them, but for the `summary` and the `alert` of the examples, which `posthorn.alert_words`
 * makes. All keys but `link` are always there.
 */
export function operationalTypes() {
  return Object.entries<Type>(TYPES).map(([name, { description, facts }]) => {
    const isOfKey = name.startsWith('posthorn.api_key.')
    const example = { ...(isOfKey ? apiKey : { organization, webhook, link }), ...facts }
    const keys = [...Object.keys(example), 'summary', 'alert']
    const known = Object.entries(PROPERTIES).filter(([key]) => keys.includes(key))
    const required = keys.filter((key) => key !== 'link')
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...subject(required, Object.fromEntries(known)),
    }
    return { name, description, example, schema }
  })
}

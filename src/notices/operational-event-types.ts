const organization = { id: 'org_01k6z0c8p2e4v9xq7m3t5a1bcd', name: 'Harvest Fair' }
const webhook = {
  id: 'wh_01k6z0c8p2e4v9xq7m3t5a1bcd',
  host: 'hooks.example.com',
  description: 'Ticketing',
}
const link = `https://posthorn.example.com/console/webhooks/${webhook.id}`
const ofWebhook = { organization, webhook, link }
const THE_WEBHOOK = 'The webhook Ticketing at hooks.example.com'
const THE_KEY = 'The API key Backend'

/** What each notice says in words, as `posthorn.notice_words` does. */
const alert = (severity: string, key: string = webhook.id) => ({
  alert: { action: 'trigger', severity, key },
})
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

/** The operational event types with their descriptions and an example of their data. */
const TYPES = {
  'posthorn.webhook.degraded': {
    description: 'A webhook is degraded: a share of its deliveries fails.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} is degraded: a share of its deliveries fails.`,
      ...alert('warning'),
      state: 'degraded',
      since,
      deliveries: 100,
      failed_deliveries: 23,
      last_error: lastError,
    },
  },
  'posthorn.webhook.behind': {
    description: 'A webhook is behind: its oldest delivery has waited for too long.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} is behind: its deliveries wait for too long.`,
      ...alert('warning'),
      state: 'behind',
      since,
      cause: 'rate_limit',
      waiting: 1_364,
      oldest_waiting_at: '2026-11-27T11:54:00Z',
    },
  },
  'posthorn.webhook.failing': {
    description: 'A webhook is failing: no delivery has succeeded since its first failure.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} is failing: its last attempts failed.`,
      ...alert('error'),
      state: 'failing',
      since,
      consecutive_failures: 10,
      last_error: lastError,
    },
  },
  'posthorn.webhook.on_hold': {
    description:
      'A webhook is on hold, because it kept failing. Its deliveries wait, and one at a time tests the endpoint.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} is on hold: its deliveries wait until the endpoint responds again.`,
      ...alert('critical'),
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
      'A webhook recovered from the state that its last notice reported. `since` is the time of that notice.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} has recovered.`,
      alert: { action: 'resolve', severity: 'info', key: webhook.id },
      state: 'healthy',
      previous_state: 'on_hold',
      since,
    },
  },
  'posthorn.delivery.exhausted': {
    description:
      'All attempts of a delivery failed. The first one of a webhook is reported at once, and those of the hour afterwards in one event: `count` is their number, and `delivery` the last of them.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} has a delivery whose attempts all failed.`,
      ...alert('error', `${webhook.id} posthorn.delivery.exhausted`),
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
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} has a new signing secret.`,
      ...alert('info', `${webhook.id} posthorn.secret.rotated`),
      old_secret_expires_at: '2026-11-28T12:00:00Z',
    },
  },
  'posthorn.secret.expiring': {
    description: 'An old signing secret of a webhook expires within 4 hours.',
    example: {
      ...ofWebhook,
      summary: `${THE_WEBHOOK} has an old signing secret that expires within 4 hours.`,
      ...alert('warning', `${webhook.id} posthorn.secret.expiring`),
      expires_at: '2026-11-27T16:00:00Z',
    },
  },
  'posthorn.api_key.created': {
    description: 'An API key was created.',
    example: {
      ...apiKey,
      summary: `${THE_KEY} was created.`,
      ...alert('info', `${apiKey.api_key.id} posthorn.api_key.created`),
    },
  },
  'posthorn.api_key.expiring': {
    description: 'An API key expires within 7 days.',
    example: {
      ...apiKey,
      summary: `${THE_KEY} expires within 7 days.`,
      ...alert('warning', `${apiKey.api_key.id} posthorn.api_key.expiring`),
    },
  },
} as const

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

/** The types as the catalogue has them. Of the keys in an example, all but `link` are always there. */
export function operationalTypes() {
  return Object.entries(TYPES).map(([name, { description, example }]) => {
    const required = Object.keys(example).filter((key) => key !== 'link')
    const known = Object.entries(PROPERTIES).filter(([key]) => key in example)
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...subject(required, Object.fromEntries(known)),
    }
    return { name, description, example, schema }
  })
}

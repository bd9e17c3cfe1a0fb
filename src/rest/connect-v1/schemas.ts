import { z } from '@hono/zod-openapi'
import { MAX_URL_LENGTH } from '../../outbound/destination-url.ts'
import { HEADER_NAME, HEADER_VALUE, MAX_HEADERS } from '../../webhooks/custom-headers.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import { MAX_SUBSCRIPTIONS, WEBHOOK_SETTINGS } from '../../webhooks/webhook-settings.ts'
import { EXAMPLE_WEBHOOK } from './examples.ts'

const url = WEBHOOK_SETTINGS.url.rule.meta({
  description:
    'The URL that deliveries are sent to. It must be HTTPS with a public address, port 443 or a port from 1024 up, and no user name, password or fragment.',
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
  maxLength: MAX_URL_LENGTH,
  examples: [EXAMPLE_WEBHOOK.url],
})
const description = WEBHOOK_SETTINGS.description.rule.meta({
  description: 'A free label of at most 1,000 characters, none of them NUL, or `null`.',
  pattern: String.raw`^[^\u0000]*$`,
  examples: [EXAMPLE_WEBHOOK.description],
})
const ENABLED_DESCRIPTION =
  'Whether events are delivered. While false, unfinished deliveries wait, and new events create no deliveries.'
const enabled = z.boolean().meta({ description: ENABLED_DESCRIPTION })
const eventSubscriptions = z
  .array(z.string().min(1))
  .min(1)
  .max(MAX_SUBSCRIPTIONS)
  .meta({
    description:
      'The names of the event types to deliver, from the catalogue. Repeated names are removed.',
    examples: [EXAMPLE_WEBHOOK.event_subscriptions],
  })
const HEADERS_DESCRIPTION =
  'Custom headers added to every delivery. At most 32, and 8 KiB in total. Names are HTTP tokens, unique regardless of case (use hyphens: nginx, gunicorn and other servers drop headers with `_`); values are visible ASCII, with spaces and tabs only inside. These names are rejected, because the service or the connection sets them: `wh-*`, `webhook-*` and the configured prefix of the signature headers, `content-*`, `proxy-*`, `host`, `connection`, `transfer-encoding`, `te`, `trailer`, `upgrade`, `keep-alive`, `expect`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`, each also with `_` for `-`. Encrypted at rest.'
const headers = z
  .record(z.string(), z.string().regex(HEADER_VALUE))
  .nullable()
  .meta({
    description: HEADERS_DESCRIPTION,
    maxProperties: MAX_HEADERS,
    propertyNames: { pattern: HEADER_NAME.source },
    examples: [EXAMPLE_WEBHOOK.headers],
  })

const id = z.string().meta({
  description: 'The id of the webhook, `wh_…`, used in paths.',
  readOnly: true,
  examples: [EXAMPLE_WEBHOOK.id],
})
const time = z.string().meta({ format: 'date-time', readOnly: true })
const created_at = time.meta({ description: 'When the webhook was registered (RFC 3339, UTC).' })
const updated_at = time.meta({ description: 'When the webhook was last changed (RFC 3339, UTC).' })

/** A webhook in responses. */
export const webhookSchema = z
  .object({
    id,
    url,
    description,
    enabled,
    event_subscriptions: eventSubscriptions,
    headers: z.record(z.string(), z.string()).meta({
      description: `${HEADERS_DESCRIPTION} Readable with the scope \`webhooks:read\`. Empty if there are none.`,
    }),
    created_at,
    updated_at,
  })
  .openapi('Webhook', { description: 'A registered endpoint.' })

export type WebhookResource = z.infer<typeof webhookSchema>

/** Accepted and ignored, so that callers can send back a webhook as they read it. */
const readOnly = {
  id: id.optional(),
  created_at: created_at.optional(),
  updated_at: updated_at.optional(),
}

/** Generators of clients make a field with `default` required, so descriptions have the defaults of requests. */
const optionalEnabled = (otherwise: string) =>
  enabled
    .nullable()
    .optional()
    .meta({ description: `${ENABLED_DESCRIPTION} ${otherwise}` })

export const createWebhookInputSchema = z
  .strictObject({
    url,
    event_subscriptions: eventSubscriptions,
    description: description.optional(),
    enabled: optionalEnabled('Default, also for `null`: false.'),
    headers: headers.optional(),
    ...readOnly,
  })
  .openapi('CreateWebhookInput', {
    description:
      'A webhook to register. By default it has no `description` and no `headers`. Read-only fields are ignored, unknown fields are rejected.',
  })

export const updateWebhookInputSchema = z
  .strictObject({
    url: url.optional(),
    event_subscriptions: eventSubscriptions.optional(),
    description: description.optional(),
    enabled: optionalEnabled('`null` is the same as omitting it.'),
    headers: headers.optional(),
    ...readOnly,
  })
  .openapi('UpdateWebhookInput', {
    description:
      'Changes to a webhook: omitted fields stay the same; `null` clears `description` and `headers`; `headers` are replaced as a whole. Read-only fields are ignored, unknown fields are rejected.',
  })

export const secretSchema = z
  .object({
    key: z.string().meta({
      description:
        '`whsec_` followed by the base64 of the key that signs deliveries to the webhook.',
      pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
    }),
  })
  .openapi('SigningSecret', { description: 'The secret that signs deliveries to one webhook.' })

export function toWebhookResource(webhook: Webhook): WebhookResource {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    enabled: webhook.enabled,
    event_subscriptions: [...webhook.eventSubscriptions],
    headers: { ...webhook.headers },
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}

import { z } from '@hono/zod-openapi'
import { MAX_URL_LENGTH } from '../../outbound/destination-url.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import { webhookFields } from '../../webhooks/webhook-fields.ts'
import { EXAMPLE_WEBHOOK } from './examples.ts'

const url = webhookFields.url.meta({
  description:
    'Where deliveries are sent. HTTPS only, to a public address, on port 443 or one from 1024 up, without user name, password and fragment.',
  format: 'uri',
  maxLength: MAX_URL_LENGTH,
  examples: [EXAMPLE_WEBHOOK.url],
})
const description = webhookFields.description.meta({
  description: 'A free label. `null` when there is none.',
  examples: [EXAMPLE_WEBHOOK.description],
})
const enabled = webhookFields.enabled.meta({
  description:
    'Whether events are delivered. While it is false, what was owed already waits, and events that occur make no new deliveries.',
})
const eventSubscriptions = webhookFields.eventSubscriptions.meta({
  description:
    'The names of the event types to deliver, from the catalogue. Repeated names collapse.',
  examples: [EXAMPLE_WEBHOOK.event_subscriptions],
})
const HEADERS_DESCRIPTION =
  'Static headers added to every delivery. At most 32, and 8 KiB in all; names are HTTP tokens that do not differ by case only; values are visible ASCII, with spaces and tabs inside. Refused, because the service or the connection sets them: `wh-*`, `webhook-*` and whatever else the names of this installation’s delivery headers begin with, `content-*`, `proxy-*`, `host`, `connection`, `transfer-encoding`, `te`, `trailer`, `upgrade`, `keep-alive`, `expect`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`. Encrypted at rest.'
const headers = webhookFields.headers.meta({
  description: HEADERS_DESCRIPTION,
  examples: [EXAMPLE_WEBHOOK.headers],
})

const id = z.string().meta({
  description: 'The identifier of the webhook, used in paths.',
  readOnly: true,
  examples: [EXAMPLE_WEBHOOK.id],
})
const time = z.string().meta({ format: 'date-time', readOnly: true })
const created_at = time.meta({ description: 'When it was registered (RFC 3339, UTC).' })
const updated_at = time.meta({ description: 'When it was last changed (RFC 3339, UTC).' })

/** A webhook as it is answered. */
export const webhookSchema = z
  .object({
    id,
    url,
    description,
    enabled,
    event_subscriptions: eventSubscriptions,
    headers: z.record(z.string(), z.string()).meta({
      description: `${HEADERS_DESCRIPTION} Answered as given, to every key with the scope \`webhooks:read\`. Empty when there are none.`,
    }),
    created_at,
    updated_at,
  })
  .openapi('Webhook', { description: 'A registered endpoint.' })

export type WebhookResource = z.infer<typeof webhookSchema>

/** Sent back by a caller who changes what they read, and ignored. */
const readOnly = {
  id: id.optional(),
  created_at: created_at.optional(),
  updated_at: updated_at.optional(),
}

export const newWebhookBodySchema = z
  .strictObject({
    url,
    event_subscriptions: eventSubscriptions,
    description: description.default(null),
    enabled: enabled.default(false),
    headers: headers.default(null),
    ...readOnly,
  })
  .openapi('NewWebhook', {
    description: 'A webhook to register. Read-only fields are ignored, unknown ones are refused.',
  })

export const webhookChangesBodySchema = z
  .strictObject({
    url: url.optional(),
    event_subscriptions: eventSubscriptions.optional(),
    description: description.optional(),
    enabled: enabled.optional(),
    headers: headers.optional(),
    ...readOnly,
  })
  .openapi('WebhookChanges', {
    description:
      'What to change: a field that is left out stays as it is; `null` clears `description` and `headers`; `headers` are replaced as a whole. Read-only fields are ignored, unknown ones are refused.',
  })

export const secretSchema = z
  .object({
    key: z.string().meta({
      description: '`whsec_` and the base64 of the key that signs deliveries to the webhook.',
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

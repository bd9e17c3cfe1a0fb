import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { EXAMPLE_DELIVERY } from './examples.ts'

type Registry = OpenAPIHono['openAPIRegistry']

/** Describes the request that receivers get, with headers of that prefix, and how they verify it. */
export function registerDelivery(registry: Registry, headerPrefix: string): void {
  registry.registerWebhook({
    method: 'post',
    path: 'delivery',
    operationId: 'receiveDelivery',
    tags: ['Deliveries'],
    summary: 'An event is delivered',
    description: describeDelivery(headerPrefix),
    security: [],
    parameters: [
      header(
        `${headerPrefix}id`,
        'Identifies the delivery: `msg_…`. The same on every retry.',
        true,
      ),
      header(`${headerPrefix}timestamp`, 'When this attempt was made: Unix time in seconds.', true),
      header(
        `${headerPrefix}signature`,
        'Space-separated `<version>,<base64 signature>` pairs. Any `v1` that matches will do; others are to be ignored.',
        true,
      ),
      header('traceparent', 'The W3C trace context, when the publisher gave one.', false),
    ],
    request: {
      body: {
        required: true,
        description: 'Verify the bytes as received, before parsing them.',
        content: { 'application/json': { schema: deliverySchema, example: EXAMPLE_DELIVERY } },
      },
    },
    responses: {
      '2XX': { description: 'The event is accepted. It is not sent again.' },
      '3XX': { description: 'A failure: redirects are not followed. It is tried again.' },
      '4XX': { description: 'A failure. It is tried again; `Retry-After` can only delay that.' },
      '5XX': { description: 'A failure. It is tried again; `Retry-After` can only delay that.' },
    },
  })
}

function describeDelivery(prefix: string): string {
  return `What an enabled webhook gets for each event it subscribes to, with its custom headers.

Delivery is at-least-once: deduplicate by \`${prefix}id\`, and answer a repetition with 2xx.

To verify, take the base64 after \`whsec_\` as the key, compute HMAC-SHA256 over \`<${prefix}id>.<${prefix}timestamp>.<raw body>\`, and
compare its base64 with each \`v1\` signature in constant time. Reject when a header is missing, when \`${prefix}timestamp\` is more
than 300 seconds away from now, and when nothing matches.

Answer with 2xx within 15 seconds, unless the operator or the options of the webhook say otherwise, once the event is durably accepted. Everything else is a failure and is tried again.`
}

function header(name: string, description: string, required: boolean) {
  const schema = { type: 'string' as const }
  return { name, in: 'header' as const, required, description, schema }
}

const deliverySchema = z
  .object({
    id: z.string().meta({ description: 'The identifier of the event: `evt_…`.' }),
    type: z.string().meta({
      description: 'The name of the event type.',
      examples: ['event_attendee.joined_event', 'event_attendee.ticket_success'],
    }),
    timestamp: z.string().meta({
      description: 'When the event occurred (RFC 3339, UTC).',
      format: 'date-time',
    }),
    data: z.unknown().meta({ description: 'What the publisher says of the event: any JSON.' }),
  })
  .openapi('Delivery', {
    description: 'The body of a delivery.',
    required: ['id', 'type', 'timestamp', 'data'],
  })

import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { EXAMPLE_DELIVERY } from './examples.ts'

type Registry = OpenAPIHono['openAPIRegistry']

/** Describes the request that receivers get and how to verify it. */
export function registerDeliveryWebhook(registry: Registry, headerPrefix: string): void {
  registry.registerWebhook({
    method: 'post',
    path: 'delivery',
    operationId: 'receiveDelivery',
    tags: ['Deliveries'],
    summary: 'Receive a delivery',
    description: describeDelivery(headerPrefix),
    security: [],
    parameters: [
      header(
        `${headerPrefix}id`,
        'The id of the delivery, `msg_…`. The same for every retry.',
        true,
      ),
      header(`${headerPrefix}timestamp`, 'The time of this attempt: Unix time in seconds.', true),
      header(
        `${headerPrefix}signature`,
        'A space-separated list of `<version>,<base64 signature>`. One matching `v1` signature is enough; ignore other versions.',
        true,
      ),
      header(
        `${headerPrefix}test`,
        '`true` for a test delivery: no event occurred. Other deliveries do not have the header.',
        false,
      ),
      header(
        'traceparent',
        'The W3C trace context, if the publisher set one or the operator turned on tracing.',
        false,
      ),
    ],
    request: {
      body: {
        required: true,
        description: 'Verify the bytes as received, before parsing them.',
        content: { 'application/json': { schema: deliverySchema, example: EXAMPLE_DELIVERY } },
      },
    },
    responses: {
      '2XX': { description: 'Success. The delivery is not sent again.' },
      '3XX': { description: 'Failure. Posthorn does not follow the redirect, and retries.' },
      '4XX': { description: 'Failure. Posthorn retries; `Retry-After` can only delay the retry.' },
      '5XX': { description: 'Failure. Posthorn retries; `Retry-After` can only delay the retry.' },
    },
  })
}

function describeDelivery(prefix: string): string {
  return `The request that Posthorn sends to an enabled webhook for each event of a subscribed type. It also has the webhook's custom headers.

Delivery is at least once: deduplicate by \`${prefix}id\`, and answer a duplicate with 2xx.

To verify a delivery, decode the base64 after \`whsec_\` to get the key, compute HMAC-SHA256 over \`<${prefix}id>.<${prefix}timestamp>.<raw body>\`,
and compare its base64 with each \`v1\` signature in constant time. Reject the delivery if a header is missing, if \`${prefix}timestamp\`
is more than 300 seconds before or after the current time, or if no signature matches.

Respond with 2xx once the event is durably accepted, within 15 seconds unless the operator or the webhook sets another timeout. Any other outcome is a failure, and Posthorn retries.`
}

function header(name: string, description: string, required: boolean) {
  const schema = { type: 'string' as const }
  return { name, in: 'header' as const, required, description, schema }
}

/** Without a name: generators that remove what no path references would leave a reference to nothing. */
const deliverySchema = z
  .object({
    id: z.string().meta({ description: 'The id of the event, `evt_…`.' }),
    type: z.string().meta({
      description: 'The name of the event type.',
      examples: ['event_attendee.joined_event', 'event_attendee.ticket_success'],
    }),
    timestamp: z.string().meta({
      description: 'When the event occurred (RFC 3339, UTC).',
      format: 'date-time',
    }),
    data: z.unknown().meta({ description: 'The data of the event: any JSON value.' }),
  })
  .openapi({
    title: 'Delivery',
    description: 'The body of a delivery.',
    required: ['id', 'type', 'timestamp', 'data'],
  })

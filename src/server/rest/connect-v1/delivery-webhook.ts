import type { DescribedType } from '../../../event-types/follow-catalogue.ts'
import {
  type ExactJson,
  type Member,
  parseExactJson,
  printExactJson,
} from '../../../lib/exact-json.ts'
import { pascalCaseNames } from '../../../lib/pascal-case.ts'
import { isSchema } from '../../../lib/schema-path.ts'
import { hasReference, schemaWithComponents } from '../../../lib/standard-schema.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { EXAMPLE_DELIVERY } from './examples.ts'

/**
 * The section `webhooks`: the request that receivers get, for each event type under its name; and the schemas that these
 * refer to. The latter are components, because generators know no other references.
 */
export async function printDeliveries(
  types: readonly DescribedType[],
  headerPrefix: string,
): Promise<{ webhooks: Member[]; schemas: Member[] }> {
  const names = pascalCaseNames(types.map(({ name }) => name))
  const schemas: Member[] = []
  const webhooks = await takeTurns([...types.entries()], ([i, type]): Member => {
    const { post, components } = describeDelivery(type, names[i] as string, headerPrefix)
    for (const [name, schema] of Object.entries(components)) {
      schemas.push([name, Buffer.from(printExactJson(schema as ExactJson))])
    }
    return [type.name, Buffer.from(printExactJson({ post } as ExactJson))]
  })
  return { webhooks, schemas }
}

/** How to verify a delivery, and what to answer. */
export function deliveryRules(prefix: string): string {
  return `The requests that Posthorn sends to webhooks: one for each event of a subscribed type to each enabled webhook, with the custom headers of the webhook.

Delivery is at least once: deduplicate by \`${prefix}id\`, and answer a duplicate with 2xx.

To verify a delivery, decode the base64 after \`whsec_\` to get the key, compute HMAC-SHA256 over \`<${prefix}id>.<${prefix}timestamp>.<raw body>\`,
and compare its base64 with each \`v1\` signature in constant time. Reject the delivery if a header is missing, if \`${prefix}timestamp\`
is more than 300 seconds before or after the current time, or if no signature matches.

Respond with 2xx once the event is durably accepted, within 15 seconds unless the operator or the webhook sets another timeout. Any other outcome is a failure, and Posthorn retries.`
}

/** The request that receivers get, for any event type. */
export function describeDeliveries(headerPrefix: string): object {
  const post = operation(headerPrefix, {
    operationId: 'receiveDelivery',
    title: 'Delivery',
    summary: 'Receive a delivery',
    description: 'A delivery of an event. The tag Deliveries says how to verify it.',
    type: { examples: ['event_attendee.joined_event', 'event_attendee.ticket_success'] },
    data: ANY_DATA,
    example: EXAMPLE_DELIVERY,
  })
  return { delivery: { post } }
}

function describeDelivery(
  { name, group, description, ...json }: DescribedType,
  pascalCase: string,
  headerPrefix: string,
) {
  const schema = parsed(json.schema)
  const example = parsed(json.example)
  // SQL can store other JSON, which no data is checked against either.
  const { schema: data, components } = isSchema(schema)
    ? schemaWithComponents(schema, `${pascalCase}_`)
    : { schema: ANY_DATA, components: {} }
  const isShown = example !== null && !hasReference(example)
  const post = operation(headerPrefix, {
    operationId: `receive${pascalCase}`,
    title: `${pascalCase}Delivery`,
    summary: `Receive ${name}`,
    description,
    group,
    type: { const: name },
    data,
    example: isShown ? { ...EXAMPLE_DELIVERY, type: name, data: example } : null,
  })
  return { post, components }
}

interface Described {
  readonly operationId: string
  /** Of the body. */
  readonly title: string
  readonly summary: string
  readonly description: string
  readonly group?: string | null
  /** Keywords of the schema of `type`, and the schema of `data`. */
  readonly type: object
  readonly data: object
  readonly example: object | null
}

function operation(
  headerPrefix: string,
  { operationId, title, summary, description, group, type, data, example }: Described,
): object {
  const schema = {
    title,
    description,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'data'],
    properties: {
      id: { type: 'string', description: 'The id of the event, `evt_…`.' },
      type: { type: 'string', ...type, description: 'The name of the event type.' },
      timestamp: {
        type: 'string',
        format: 'date-time',
        description: 'When the event occurred (RFC 3339, UTC).',
      },
      data,
    },
  }
  return {
    operationId,
    tags: ['Deliveries'],
    summary,
    description,
    ...(group && { 'x-group': group }),
    security: [],
    parameters: headersOf(headerPrefix),
    requestBody: {
      required: true,
      description: 'Verify the bytes as received, before parsing them.',
      content: { 'application/json': { schema, ...(example && { example }) } },
    },
    responses: {
      '2XX': { description: 'Success. The delivery is not sent again.' },
      '3XX': { description: 'Failure. Posthorn does not follow the redirect, and retries.' },
      '4XX': { description: RETRIED },
      '5XX': { description: RETRIED },
    },
  }
}

const RETRIED = 'Failure. Posthorn retries; `Retry-After` can only delay the retry.'

function headersOf(prefix: string): object[] {
  const headers = {
    [`${prefix}id`]: 'The id of the delivery, `msg_…`. The same for every retry.',
    [`${prefix}timestamp`]: 'The time of this attempt: Unix time in seconds.',
    [`${prefix}signature`]:
      'A space-separated list of `<version>,<base64 signature>`. One matching `v1` signature is enough; ignore other versions.',
    [`${prefix}test`]:
      '`true` for a test delivery: no event occurred. Other deliveries do not have the header.',
    traceparent:
      'The W3C trace context, if the publisher set one or the operator turned on tracing.',
  }
  const optional = [`${prefix}test`, 'traceparent']
  return Object.entries(headers).map(([name, description]) => {
    const required = !optional.includes(name)
    return { name, in: 'header', required, description, schema: { type: 'string' } }
  })
}

const ANY_DATA = { description: 'The data of the event: any JSON value.' }

const parsed = (json: string | null) => (json === null ? null : parseExactJson(json))

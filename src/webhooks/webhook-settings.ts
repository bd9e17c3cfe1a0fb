import { z } from 'zod'
import { readFilter } from '../events/filters/read-filter.ts'
import {
  changesRule,
  type GivenSettings,
  newObjectRule,
  type Settings,
  wholeNumber,
} from '../lib/setting.ts'
import { METADATA_RULE, metadataRule } from '../organizations/own-names/metadata.ts'
import { UID_RULE, uidRule } from '../organizations/own-names/uid.ts'
import {
  KEEP_PAYLOADS,
  KEEP_RESPONSE_BODIES,
  keepRule,
  OF_WEBHOOK,
} from '../organizations/retention/retention-rules.ts'
import { checkCustomHeaders } from './custom-headers.ts'
import { signingSecretRule } from './signing-secret.ts'

/** Subscriptions of one webhook. */
export const MAX_SUBSCRIPTIONS = 1_000

/** Delays of a retry schedule. With at most a day each, a schedule takes at most 20 days. */
const MAX_RETRIES = 20

/** One day. */
const MAX_RETRY_DELAY_SECONDS = 86_400

/** With `webhook-` and `svix-`, the libraries of Standard Webhooks and Svix verify deliveries. */
const HEADER_PREFIXES = ['wh-', 'webhook-', 'svix-'] as const

const text = z.string('must be a string').nullable()
const flag = z
  .boolean('must be true or false')
  .nullable()
  .transform((value) => value ?? false)

/**
 * All that a caller can set, for REST, OpenAPI, GraphQL and the audit log. REST has the first four and `headers`. The URL is
 * also checked by outbound/destination-url.ts, the subscriptions against the catalogue, and the body by bodies/body.ts.
 */
export const WEBHOOK_SETTINGS = {
  url: {
    rule: z.string('must be a string'),
    required: true,
    description:
      'The URL that deliveries are POSTed to: an HTTPS URL of at most 2,048 characters, with a public host, port 443 or a port from 1024, and without user name, password or fragment. Another origin needs the values of the headers again, or the scope `secrets:read`.',
  },
  eventSubscriptions: {
    rule: z
      .array(z.string('must be the name of an event type'), 'must be an array of event type names')
      .min(1, 'must name at least one event type')
      .max(MAX_SUBSCRIPTIONS, 'must name at most 1,000 event types'),
    required: true,
    description:
      'What to receive: at least one name of an event type of the catalogue, or pattern, such as `order.*` for all types whose names begin with `order.`, or `*` for all types. Patterns also select types that are added later, but never operational events. Duplicates are removed.',
  },
  description: {
    rule: z
      .string('must be a string')
      .max(1_000, 'must have at most 1,000 characters')
      .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
      .nullable(),
    description: 'A description of at most 1,000 characters. Null, the default: none.',
  },
  enabled: {
    rule: flag,
    description:
      'Whether the webhook receives deliveries. Enabling it also releases the deliveries parked while it was disabled. Default: false.',
  },
  filter: {
    rule: text.transform(readFilterText),
    type: 'JSON',
    description:
      'The filter: what the webhook asks of the `data` of an event, and of its `previous` data, before a delivery is created, as JSON: `{ "path": "$.total", "op": "greater", "value": 100 }`, or `all` or `any` with a list of filters, or `not` with one. At most 20 conditions on 8 levels, with values of at most 1,024 bytes. Operators: `equals`, `in`, `exists`, `less`, `lessOrEqual`, `greater`, `greaterOrEqual` (numbers, and RFC 3339 times), `startsWith`, `contains` (texts), `has` (an item of an array), `changed` (differs from `previous`; no value). A value of another type is never equal. The path `$.items[*].sku` means some item. docs/guides/filters.md defines every case. Null, the default: none.',
  },
  selection: {
    rule: text,
    description:
      'GraphQL on the event graph, such as `{ ... on OrderPaid { order { id total } } }`: the `data` of the body is then what the document selects. At most 16 KiB. Replaces a template; not together with one. docs/guides/bodies.md has the rules. Null, the default: the whole event.',
  },
  template: {
    rule: text,
    description:
      'JSON with Liquid in its strings, such as `{ "text": "Paid: {{ data.order.id }}" }`: the whole body, for programs that expect their own, such as Slack. At most 32 KiB. Replaces a selection; not together with one. docs/guides/bodies.md has the rules. Null, the default: the whole event.',
  },
  uid: {
    rule: uidRule.nullable(),
    forSessions: false,
    description: `A name of your choice, unique in the organization: ${UID_RULE}. Not for sessions. Null, the default: none.`,
  },
  metadata: {
    rule: metadataRule,
    forSessions: false,
    description: `Labels of your choice, all of them: ${METADATA_RULE}. Not for sessions. Null, the default: none.`,
  },
  keepResponseBodies: {
    rule: keepRule,
    description: `${KEEP_RESPONSE_BODIES} ${OF_WEBHOOK} Default: true.`,
  },
  keepPayloads: {
    rule: keepRule,
    description: `${KEEP_PAYLOADS} ${OF_WEBHOOK} Default: true.`,
  },
  rateLimitPerSecond: {
    rule: wholeNumber(1, 10_000, 'give null for no limit').nullable(),
    description:
      'The rate limit: the maximum number of attempts per second, across all processes: 1 to 10,000. Deliveries over the limit wait. Null, the default: no limit.',
  },
  maxInFlight: {
    rule: wholeNumber(1, 200, 'give null for the default').nullable(),
    description:
      'The concurrency limit: the maximum number of attempts in flight per worker: 1 to 200. Null, the default: an adaptive limit. It starts at 20, grows while the endpoint keeps up, and is halved when the endpoint is overloaded.',
  },
  retryScheduleSeconds: {
    rule: z
      .array(
        wholeNumber(1, MAX_RETRY_DELAY_SECONDS, 'give seconds, or an empty list for no retries'),
        'must be an array of delays in seconds',
      )
      .max(MAX_RETRIES, `must have at most ${MAX_RETRIES} delays; give fewer, longer delays`)
      .nullable(),
    description: `The delay before each retry, in seconds: at most ${MAX_RETRIES} delays of 1 to ${MAX_RETRY_DELAY_SECONDS.toLocaleString('en')} (one day). Jitter adds up to 10%, and a \`Retry-After\` header can delay a retry by up to one day. An empty list: no retries. Null, the default: POSTHORN_RETRY_SCHEDULE (default: 9 retries over 75 to 83 hours). A change applies from the next failed attempt; scheduled retries keep their time.`,
  },
  timeoutSeconds: {
    rule: wholeNumber(1, 30, 'give null for the default').nullable(),
    description:
      'The response timeout: the maximum time from a ready connection to the status and headers of the response, in seconds: 1 to 30. Null, the default: POSTHORN_ATTEMPT_TIMEOUT (default: 15).',
  },
  ordered: {
    rule: flag,
    description:
      'Whether deliveries are sent one at a time, in the order of the events. Default: false. Throughput is then one attempt at a time (10 per second at 100 ms each), and a failing delivery blocks all later ones until it succeeds or is exhausted: 75 to 83 hours with the default retry schedule. A short `retryScheduleSeconds` limits that.',
  },
  headerPrefix: {
    rule: z.enum(HEADER_PREFIXES, `must be one of ${HEADER_PREFIXES.join(', ')}`).nullable(),
    description:
      'The prefix of the headers `id`, `timestamp` and `signature` of each delivery: `wh-`, `webhook-` or `svix-`, so that receivers of another sender verify deliveries as they are. The values stay the same. Null, the default: POSTHORN_HEADER_PREFIX (default: `wh-`).',
  },
  verifyEndpoint: {
    rule: flag,
    forSessions: false,
    description:
      'Whether a URL is only used once its endpoint has answered a challenge: a signed POST of `{"type": "verification", "challenge": "…"}` that is answered with 2xx and `{"challenge": "…"}` within 10 s. Then each new URL needs a new challenge, whichever interface sets it. Not for sessions. Default: false.',
  },
} as const satisfies Settings

/** Beside the settings: custom headers, and the signing secret of a new webhook. Null: none, and one that Posthorn makes. */
const others = {
  headers: z
    .record(z.string(), z.string('must be a string'), 'must be an object of strings')
    .superRefine(checkCustomHeaders)
    .nullish(),
  secret: signingSecretRule.nullish(),
}

export const newWebhookRule = newObjectRule(WEBHOOK_SETTINGS).extend(others)
export const webhookChangesRule = changesRule(WEBHOOK_SETTINGS).extend(others)

export interface WebhookInput extends GivenSettings<typeof WEBHOOK_SETTINGS> {
  readonly headers?: Readonly<Record<string, string>> | null | undefined
  readonly secret?: string | null | undefined
}

function readFilterText(given: string | null, context: z.RefinementCtx<unknown>) {
  if (given === null) return null
  const { filter, issues } = readFilter(given, [])
  for (const { path, code, rule: message = '' } of issues) {
    context.addIssue({ code: 'custom', path: [...path], params: { code }, message, input: given })
  }
  return filter
}

import { headOfProblem, PROBLEMS, type ProblemKind } from '../../../http/problem.ts'
import { MAX_URL_LENGTH } from '../../../outbound/destination-url.ts'
import { HEADER_NAME, HEADER_VALUE, MAX_HEADERS } from '../../../webhooks/custom-headers.ts'
import { MAX_SUBSCRIPTIONS } from '../../../webhooks/webhook-settings.ts'
import { EXAMPLE_WEBHOOK } from './examples.ts'
import { MAX_PAGE_SIZE } from './page.ts'

/** A reference to a component of the OpenAPI document. */
export const ref = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` })

const ENABLED =
  'Whether events are delivered. While false, unfinished deliveries wait, and new events create no deliveries.'
const HEADERS_RULE =
  'Custom headers added to every delivery. At most 32, and 8 KiB in total. Names are HTTP tokens, unique regardless of case (use hyphens: nginx, gunicorn and other servers drop headers with `_`); values are visible ASCII, with spaces and tabs only inside. These names are rejected, because the service or the connection sets them: `wh-*`, `webhook-*` and the configured prefix of the signature headers, `content-*`, `proxy-*`, `host`, `connection`, `transfer-encoding`, `te`, `trailer`, `upgrade`, `keep-alive`, `expect`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`, each also with `_` for `-`. Encrypted at rest.'

const text = (description: string) => ({ type: 'string', description })

const timeOf = (change: string) => ({
  ...text(`When the webhook was ${change} (RFC 3339, UTC).`),
  format: 'date-time',
  readOnly: true,
})

/** In responses. Requests may have the read-only ones too, so that callers can send back a webhook as they read it. */
const WEBHOOK_PROPERTIES = {
  id: { ...text('The id of the webhook, `wh_…`, used in paths.'), readOnly: true },
  url: {
    ...text(
      'The URL that deliveries are sent to. It must be HTTPS with a public address, port 443 or a port from 1024 up, and no user name, password or fragment.',
    ),
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
    maxLength: MAX_URL_LENGTH,
  },
  description: {
    type: ['string', 'null'],
    description: 'A free label of at most 1,000 characters, none of them NUL, or `null`.',
    maxLength: 1_000,
    pattern: String.raw`^[^\u0000]*$`,
  },
  enabled: { type: 'boolean', description: ENABLED },
  event_subscriptions: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    minItems: 1,
    maxItems: MAX_SUBSCRIPTIONS,
    description:
      'The names of the event types to deliver, from the catalogue. Repeated names are removed.',
  },
  headers: {
    type: 'object',
    additionalProperties: { type: 'string', pattern: HEADER_VALUE.source },
    description: `${HEADERS_RULE} Readable with the scope \`webhooks:read\`. Empty if there are none.`,
    maxProperties: MAX_HEADERS,
    propertyNames: { pattern: HEADER_NAME.source },
  },
  created_at: timeOf('registered'),
  updated_at: timeOf('last changed'),
}

/** Generators of clients make a field with `default` required, so descriptions have the defaults of requests. */
const givenProperties = (enabledDefault: string) => ({
  ...WEBHOOK_PROPERTIES,
  enabled: { type: ['boolean', 'null'], description: `${ENABLED} ${enabledDefault}` },
  headers: { ...WEBHOOK_PROPERTIES.headers, type: ['object', 'null'] },
})

const SCHEMAS = {
  Webhook: {
    type: 'object',
    description: 'A registered endpoint.',
    properties: WEBHOOK_PROPERTIES,
    required: Object.keys(WEBHOOK_PROPERTIES),
  },
  CreateWebhookInput: {
    type: 'object',
    description:
      'A webhook to register. By default it has no `description` and no `headers`. Read-only fields are ignored, unknown fields are rejected.',
    properties: givenProperties('Default, also for `null`: false.'),
    required: ['url', 'event_subscriptions'],
    additionalProperties: false,
  },
  UpdateWebhookInput: {
    type: 'object',
    description:
      'Changes to a webhook: omitted fields stay the same; `null` clears `description` and `headers`; `headers` are replaced as a whole. Read-only fields are ignored, unknown fields are rejected.',
    properties: givenProperties('`null` is the same as omitting it.'),
    additionalProperties: false,
  },
  SigningSecret: {
    type: 'object',
    description: 'The secret that signs deliveries to one webhook.',
    properties: {
      key: {
        type: 'string',
        description:
          '`whsec_` followed by the base64 of the key that signs deliveries to the webhook.',
        pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
      },
    },
    required: ['key'],
  },
  NewEvent: {
    type: 'object',
    description: 'An event to publish. Unknown fields are rejected.',
    properties: {
      type: text('The name of an event type in the catalogue.'),
      data: {
        description:
          'The payload, any JSON but `null`, which matches the schema of the event type: at most 256 KiB. Required unless there is a `dataText`.',
      },
      dataText: text('The payload as JSON text, in place of `data`, which is kept to the letter.'),
      previous: { description: 'The payload before the change that the event reports.' },
      previousText: text('The same as JSON text, in place of `previous`.'),
      timestamp: { ...text('When the event occurred. Default: now.'), format: 'date-time' },
      idempotencyKey: {
        ...text(
          'For 24 hours, publishing the same event with the same key returns the first event. The same key with another event is a conflict (409).',
        ),
        minLength: 1,
        maxLength: 255,
      },
      traceparent: {
        ...text('The W3C trace context for receivers.'),
        pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      },
    },
    required: ['type'],
    additionalProperties: false,
  },
  PublishedEvent: {
    type: 'object',
    description: 'A published event.',
    properties: {
      id: text('The id of the event: `evt_…`.'),
      deliveryCount: {
        type: 'integer',
        description:
          'One for each enabled webhook that subscribes to the type; 0 for a duplicate. If there are hundreds, they are created after the response.',
      },
      duplicate: {
        type: 'boolean',
        description: 'Whether this is the event of an earlier use of the idempotency key.',
      },
    },
    required: ['id', 'deliveryCount', 'duplicate'],
  },
  Problem: {
    type: 'object',
    description: 'An error response (RFC 9457).',
    properties: {
      type: {
        ...text(
          'The kind of problem, for programs: `urn:posthorn:problem:` followed by a stable code.',
        ),
        format: 'uri',
      },
      title: text('The kind of problem, for people; fixed for each type.'),
      status: { type: 'integer', description: 'The HTTP status.', minimum: 400, maximum: 599 },
      detail: text('What happened and what to do, for people.'),
      errors: {
        type: 'array',
        description: 'All errors of the request, at most 100.',
        items: ref('schemas', 'FieldError'),
        maxItems: 100,
      },
      instance: {
        ...text("The reference in Posthorn's log; only with status 500."),
        format: 'uri',
      },
    },
    required: ['type', 'title', 'status', 'detail'],
  },
  FieldError: {
    type: 'object',
    description: 'One error. It has exactly one of `pointer`, `parameter` and `header`.',
    properties: {
      pointer: text('The place in the body: a JSON Pointer (RFC 6901) as a URI fragment.'),
      parameter: text('The name of the query parameter.'),
      header: text('The name of the header.'),
      code: text('A stable code for programs.'),
      detail: text('What is wrong and what to do, for people.'),
    },
    required: ['code', 'detail'],
  },
}

const PARAMETERS = {
  WebhookId: {
    name: 'webhook_id',
    in: 'path',
    required: true,
    description: 'The `id` of the webhook.',
    schema: { type: 'string' },
    example: EXAMPLE_WEBHOOK.id,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to retry: for 24 hours, the same key with the same body returns the response of the first call. The same key with another body is a conflict (409). Use a random value, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '4a7f8f5e-3c0e-4b6c-9f0f-0d1f6f0b9a11',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Entity tags from `ETag`, or `*`. Unless the current version of the webhook has one of them, the response is 412 and nothing is changed. The comparison and the change are one step, so no other change comes between them.',
    schema: { type: 'string' },
    example: '"VAIpnRwKWzLLPkd-iVbL5lU0HVmRcsOAdBPfzXaMJFo"',
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of webhooks on a page. Default: all webhooks on one page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description:
      'The start of the page, from the link in the `Link` header of the previous page. Default: the first page.',
    schema: { type: 'string', pattern: '^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
  },
}

export type ParameterName = keyof typeof PARAMETERS

const HEADERS: Readonly<Record<string, string>> = {
  Location: 'The path of the new webhook.',
  ETag: 'The strong entity tag of this version of the webhook, for `If-Match`.',
  Link: 'A relative link to the next page (RFC 8288). Missing on the last page and without `limit`.',
  'Cache-Control': 'Responses must not be cached, because they may contain secrets.',
  'WWW-Authenticate': 'How to authenticate, and why the key was rejected (RFC 6750).',
  'Retry-After': 'The number of seconds to wait before a retry.',
  'RateLimit-Policy':
    'The rate limit of the API key: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
  RateLimit:
    'The number of requests left, `r`, and the seconds until all of them are available again, `t`.',
  Allow: 'The methods that the path supports.',
}

/** The headers of the responses of a kind of problem, beside `Cache-Control`. */
const PROBLEM_HEADERS: Readonly<Partial<Record<ProblemKind, readonly string[]>>> = {
  unauthenticated: ['WWW-Authenticate'],
  forbidden: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  unavailable: ['Retry-After'],
}

const INVALID_ERRORS = [
  {
    pointer: '#/url',
    code: 'not_https',
    detail: 'The URL is not HTTPS. Give one that begins with https://.',
  },
]

/** The headers of a response, by reference. */
export const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]))

/** The error responses of these kinds, by status. */
export const problemRefs = (kinds: readonly ProblemKind[]) =>
  Object.fromEntries(kinds.map((kind) => [PROBLEMS[kind][0], ref('responses', kind)]))

const problemResponse = (kind: ProblemKind) => {
  const [, description] = PROBLEMS[kind]
  const errors = kind === 'invalid' && { errors: INVALID_ERRORS }
  return {
    description,
    headers: headerRefs(['Cache-Control', ...(PROBLEM_HEADERS[kind] ?? [])]),
    content: {
      'application/problem+json': {
        schema: ref('schemas', 'Problem'),
        example: { ...headOfProblem(kind), detail: description, ...errors },
      },
    },
  }
}

export const COMPONENTS = {
  securitySchemes: {
    ApiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'phk_…',
      description:
        'An API key of the organization. Each operation states the scope that the key needs.',
    },
  },
  parameters: PARAMETERS,
  headers: Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => {
      const schema = { type: name === 'Retry-After' ? 'integer' : 'string' }
      return [name, { description, schema }]
    }),
  ),
  responses: Object.fromEntries(
    (Object.keys(PROBLEMS) as ProblemKind[]).map((kind) => [kind, problemResponse(kind)]),
  ),
  schemas: SCHEMAS,
}

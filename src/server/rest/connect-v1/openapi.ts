import type { DescribedType } from '../../../event-types/follow-catalogue.ts'
import type { ProblemKind } from '../../../http/problem.ts'
import { MAX_BODY_BYTES } from '../../../http/read-body.ts'
import { printMembers, toMembers } from '../../../lib/exact-json.ts'
import { DEFAULT_HEADER_PREFIX } from '../../../webhooks/custom-headers.ts'
import { MAX_PUBLISH_BYTES } from '../publish-v1.ts'
import { COMPONENTS, headerRefs, type ParameterName, problemRefs, ref } from './components.ts'
import { deliveryRules, describeDeliveries, printDeliveries } from './delivery-webhook.ts'
import {
  EXAMPLE_NEW_EVENT,
  EXAMPLE_NEW_WEBHOOK,
  EXAMPLE_PUBLISHED,
  EXAMPLE_SECRET,
  EXAMPLE_WEBHOOK,
} from './examples.ts'

export const CONNECT_V1_PATH = '/api/connect/v1'

interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly tag?: 'Signing secrets' | 'Events'
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly ParameterName[]
  /** The name of the schema, and an example. */
  readonly body?: readonly [schema: string, example: object]
  /** Default: 65,536. */
  readonly maxBytes?: number
  /** The status of the success, what it is, the headers, and the content. */
  readonly success: readonly [
    status: number,
    description: string,
    headers: string[],
    content?: object,
  ]
  /** Beside those that every operation has, and those of its parameters and its body. */
  readonly errors?: readonly ProblemKind[]
}

const content = (schema: object, example: object) => ({ 'application/json': { schema, example } })
const WEBHOOK = content(ref('schemas', 'Webhook'), EXAMPLE_WEBHOOK)
const SECRET = content(ref('schemas', 'SigningSecret'), EXAMPLE_SECRET)

/** By their ids, in the order of the document. The routes are those of this table. */
export const OPERATIONS = {
  createWebhook: {
    method: 'post',
    path: '/webhooks',
    summary: 'Register a webhook',
    description:
      'Registers an endpoint and generates its signing secret. Deliveries start only if `enabled` is true. With an `Idempotency-Key`, repeating the call within 24 hours returns the same response and registers nothing. Needs the scope `webhooks:write`.',
    parameters: ['IdempotencyKey'],
    body: ['CreateWebhookInput', EXAMPLE_NEW_WEBHOOK],
    success: [201, 'The new webhook.', ['Location', 'ETag'], WEBHOOK],
    errors: ['conflict'],
  },
  listWebhooks: {
    method: 'get',
    path: '/webhooks',
    summary: 'List the webhooks',
    description:
      "Returns all webhooks of the caller's organization, oldest first; with `limit`, in pages. Needs the scope `webhooks:read`.",
    parameters: ['Limit', 'Cursor'],
    success: [
      200,
      'The webhooks.',
      ['Link'],
      content({ type: 'array', items: ref('schemas', 'Webhook') }, [EXAMPLE_WEBHOOK]),
    ],
    errors: ['invalid'],
  },
  getWebhook: {
    method: 'get',
    path: '/webhooks/{webhook_id}',
    summary: 'Read a webhook',
    description: 'Returns the webhook. Needs the scope `webhooks:read`.',
    parameters: ['WebhookId'],
    success: [200, 'The webhook.', ['ETag'], WEBHOOK],
  },
  updateWebhook: {
    method: 'put',
    path: '/webhooks/{webhook_id}',
    summary: 'Update a webhook',
    description:
      'Updates the given fields, by the same rules as for registering, and leaves the others unchanged. If all given fields have their values already, nothing changes, `updated_at` included. Enabling a webhook also releases the deliveries that waited. Needs the scope `webhooks:write`.',
    parameters: ['WebhookId', 'IfMatch'],
    body: ['UpdateWebhookInput', { enabled: false }],
    success: [200, 'The updated webhook.', ['ETag'], WEBHOOK],
  },
  deleteWebhook: {
    method: 'delete',
    path: '/webhooks/{webhook_id}',
    summary: 'Delete a webhook',
    description:
      'Permanently deletes the webhook and its secrets, and cancels its unfinished deliveries. Needs the scope `webhooks:write`.',
    parameters: ['WebhookId', 'IfMatch'],
    success: [204, 'The webhook is deleted.', []],
  },
  getSigningSecret: {
    method: 'get',
    path: '/webhooks/{webhook_id}/secret',
    tag: 'Signing secrets',
    summary: 'Read the signing secret',
    description:
      'Returns the secret that currently signs deliveries to the webhook. Needs the scope `secrets:read`.',
    parameters: ['WebhookId'],
    success: [200, 'The current signing secret.', [], SECRET],
  },
  rotateSigningSecret: {
    method: 'post',
    path: '/webhooks/{webhook_id}/secret/rotate',
    tag: 'Signing secrets',
    summary: 'Rotate the signing secret',
    description:
      'Generates a new secret, which immediately signs all attempts, including retries. The old secret remains valid for 24 hours; until then, receivers should accept both. At most five old secrets remain valid: a further rotation deletes the oldest at once. A body is ignored. Needs the scope `secrets:rotate`.',
    parameters: ['WebhookId'],
    success: [200, 'The new signing secret.', [], SECRET],
  },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationId = keyof typeof OPERATIONS

const PUBLISH_EVENTS: Operation = {
  method: 'post',
  path: '/api/events/v1/events',
  tag: 'Events',
  summary: 'Publish an event',
  description:
    'Publishes one event or, in a list or with a line for each (`application/x-ndjson`), up to 1,000, all or none. After the response, the events are stored, and it is certain which webhooks get them. The answer for several events is `{"events": […]}`, in their order. The header `Idempotency-Key` is the same as the field `idempotencyKey` of one event. Needs the scope `events:publish`.',
  parameters: ['IdempotencyKey'],
  body: ['NewEvent', EXAMPLE_NEW_EVENT],
  maxBytes: MAX_PUBLISH_BYTES,
  success: [
    201,
    'The published event.',
    [],
    content(ref('schemas', 'PublishedEvent'), EXAMPLE_PUBLISHED),
  ],
  errors: ['conflict'],
}

const ANY_ERRORS: readonly ProblemKind[] = [
  'unauthenticated',
  'forbidden',
  'method_not_allowed',
  'rate_limited',
  'internal',
  'unavailable',
]

const ERRORS_OF_PARAMETER: Readonly<Partial<Record<ParameterName, readonly ProblemKind[]>>> = {
  WebhookId: ['not_found'],
  IfMatch: ['precondition_failed'],
}

const BODY_ERRORS = ['malformed', 'too_large', 'unsupported_media_type', 'invalid'] as const

function describeOperation([operationId, operation]: [string, Operation]) {
  const { tag = 'Webhooks', summary, description, parameters = [], body } = operation
  const { maxBytes = MAX_BODY_BYTES } = operation
  const [status, about, headers, result] = operation.success
  // `no-store`, because the custom headers of webhooks may be credentials.
  const allHeaders = headerRefs([...headers, 'Cache-Control', 'RateLimit', 'RateLimit-Policy'])
  const kinds = [
    ...ANY_ERRORS,
    ...(operation.errors ?? []),
    ...parameters.flatMap((name) => ERRORS_OF_PARAMETER[name] ?? []),
    ...(body ? BODY_ERRORS : []),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: parameters.map((name) => ref('parameters', name)),
    ...(body && {
      requestBody: {
        required: true,
        description: `At most ${maxBytes.toLocaleString('en')} bytes.`,
        content: content(ref('schemas', body[0]), body[1]),
      },
    }),
    responses: {
      [status]: { description: about, headers: allHeaders, ...(result && { content: result }) },
      ...problemRefs(kinds),
    },
  }
}

const INFO = {
  title: 'Posthorn REST API',
  version: '1.0.0',
  description: `Publishes events, manages the webhooks of an organization, which are registered HTTPS endpoints, and describes the deliveries that they receive.

Every request needs the header \`Authorization: Bearer <API key>\`; the key determines the organization. Bodies are JSON in UTF-8,
of at most 65,536 bytes if an operation gives no other limit. Field names are in snake_case, those of events in camelCase, and
times are RFC 3339 in UTC. Errors are RFC 9457
\`application/problem+json\`. Unknown query parameters are ignored, and so is a slash at the end of a path.

A string in a body must consist of whole characters: a lone surrogate, such as \`"\\ud800"\`, is rejected (400).

Every response has the header \`X-Request-Id\`: that of the request if it has 1 to 128 visible ASCII characters, otherwise a new one.`,
  license: { name: 'MIT', identifier: 'MIT' },
}

/**
 * The OpenAPI 3.1 document of the REST API and of deliveries. `serverUrl` is the base URL of the paths, and `headerPrefix`
 * the prefix of the signature headers.
 */
export function openApiDocument(serverUrl: string, headerPrefix: string = DEFAULT_HEADER_PREFIX) {
  const paths: Record<string, Record<string, object>> = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = CONNECT_V1_PATH + operation.path
    paths[path] = { ...paths[path], [operation.method]: describeOperation([id, operation]) }
  }
  paths[PUBLISH_EVENTS.path] = { post: describeOperation(['publishEvents', PUBLISH_EVENTS]) }
  return {
    openapi: '3.1.0',
    info: INFO,
    security: [{ ApiKey: [] }],
    tags: [
      { name: 'Webhooks', description: 'Registered endpoints, which receive deliveries.' },
      { name: 'Signing secrets', description: 'The keys that sign deliveries.' },
      { name: 'Events', description: 'What happened, published by your programs.' },
      { name: 'Deliveries', description: deliveryRules(headerPrefix) },
    ],
    servers: [{ url: serverUrl.replace(/\/+$/, '') || '/', description: 'This installation.' }],
    components: COMPONENTS,
    paths,
    webhooks: describeDeliveries(headerPrefix),
  }
}

/** The same as JSON, with the event types of a catalogue. */
export async function printOpenApiDocument(
  serverUrl: string,
  headerPrefix: string,
  types: readonly DescribedType[],
): Promise<Buffer<ArrayBuffer>> {
  const document = openApiDocument(serverUrl, headerPrefix)
  if (types.length === 0) return Buffer.from(JSON.stringify(document))
  const { components, webhooks: _, ...others } = document
  const { schemas, ...parts } = components
  const deliveries = await printDeliveries(types, headerPrefix)
  const allSchemas = printMembers([...toMembers(schemas), ...deliveries.schemas])
  return printMembers([
    ...toMembers(others),
    ['components', printMembers([...toMembers(parts), ['schemas', allSchemas]])],
    ['webhooks', printMembers(deliveries.webhooks)],
  ])
}

import type { OpenAPIHono } from '@hono/zod-openapi'
import { MAX_PAGE_SIZE } from './page.ts'

type Registry = OpenAPIHono['openAPIRegistry']

type ParameterName = 'WebhookId' | 'IdempotencyKey' | 'IfMatch' | 'IfNoneMatch' | 'Limit' | 'Cursor'

export const parameterRef = (name: ParameterName) => ({
  $ref: `#/components/parameters/${name}`,
})

export const schemaRef = (name: 'CreateWebhookInput' | 'UpdateWebhookInput') => ({
  $ref: `#/components/schemas/${name}`,
})

/** The headers of every successful response. `no-store`, because the custom headers of webhooks may be credentials. */
export const ANY_SUCCESS_HEADERS = {
  'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
}

/** The headers of a response that is one version of a webhook. */
export const WEBHOOK_HEADERS = {
  ETag: { $ref: '#/components/headers/ETag' },
  ...ANY_SUCCESS_HEADERS,
}

const ENTITY_TAG = `(W/)?"[!#-~]*"`
const ENTITY_TAGS = {
  type: 'string' as const,
  pattern: String.raw`^(\*|${ENTITY_TAG}(, ?${ENTITY_TAG})*)$`,
}
const EXAMPLE_ENTITY_TAG = '"VAIpnRwKWzLLPkd-iVbL5lU0HVmRcsOAdBPfzXaMJFo"'

/** Adds the parameters and headers that the operations reference. */
export function registerReferences(registry: Registry): void {
  registry.registerComponent('parameters', 'WebhookId', {
    name: 'webhook_id',
    in: 'path',
    required: true,
    description: 'The `id` of the webhook.',
    schema: { type: 'string' },
    example: 'wh_01m7wwqnz4e8mbhv0437sz0j6w',
  })
  registry.registerComponent('parameters', 'IdempotencyKey', {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to retry: for 24 hours, the same key with the same body returns the response of the first call. The same key with another body is a conflict (409). Use a random value, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '4a7f8f5e-3c0e-4b6c-9f0f-0d1f6f0b9a11',
  })
  registry.registerComponent('parameters', 'IfMatch', {
    name: 'If-Match',
    in: 'header',
    description:
      'Entity tags from `ETag`, or `*`. Unless the current version of the webhook has one of them, the response is 412 and nothing is changed. A weak tag (`W/"…"`) never matches. The comparison and the change are one step, so no other change comes between them.',
    schema: ENTITY_TAGS,
    example: EXAMPLE_ENTITY_TAG,
  })
  registry.registerComponent('parameters', 'IfNoneMatch', {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Entity tags from `ETag`, or `*`. If the current version of the webhook has one of them, GET returns 304 without a body, and other methods return 412 and change nothing.',
    schema: ENTITY_TAGS,
    example: EXAMPLE_ENTITY_TAG,
  })
  registry.registerComponent('parameters', 'Limit', {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of webhooks on a page. Default: all webhooks on one page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  })
  registry.registerComponent('parameters', 'Cursor', {
    name: 'cursor',
    in: 'query',
    description:
      'The start of the page, from the link in the `Link` header of the previous page. Default: the first page.',
    schema: { type: 'string', pattern: '^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
  })
  for (const [name, { description, example }] of Object.entries(HEADERS)) {
    registry.registerComponent('headers', name, {
      description,
      schema: { type: name === 'Retry-After' ? 'integer' : 'string' },
      example,
    })
  }
}

const HEADERS: Readonly<Record<string, { description: string; example: string | number }>> = {
  Location: {
    description: 'The path of the new webhook.',
    example: '/api/connect/v1/webhooks/wh_01m7wwqnz4e8mbhv0437sz0j6w',
  },
  ETag: {
    description:
      'The strong entity tag of this version of the webhook, for `If-Match` and `If-None-Match`.',
    example: EXAMPLE_ENTITY_TAG,
  },
  Link: {
    description:
      'A relative link to the next page (RFC 8288). Missing on the last page and without `limit`.',
    example: '</api/connect/v1/webhooks?limit=20&cursor=wh_01m7wwqnz4e8mbhv0437sz0j6w>; rel="next"',
  },
  'Cache-Control': {
    description: 'Responses must not be cached, because they may contain secrets.',
    example: 'no-store',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, and why the key was rejected (RFC 6750).',
    example:
      'Bearer realm="posthorn", error="invalid_token", error_description="The API key is expired."',
  },
  'Retry-After': { description: 'The number of seconds to wait before a retry.', example: 5 },
  'RateLimit-Policy': {
    description:
      'The rate limit of the API key: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    example: '"requests";q=5000;w=10',
  },
  RateLimit: {
    description:
      'The number of requests left, `r`, and the seconds until all of them are available again, `t`.',
    example: '"requests";r=4999;t=1',
  },
  Allow: { description: 'The methods that the path supports.', example: 'GET, HEAD, POST' },
}

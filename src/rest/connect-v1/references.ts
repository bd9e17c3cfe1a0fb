import type { OpenAPIHono } from '@hono/zod-openapi'
import { MAX_PAGE_SIZE } from './page.ts'

type Registry = OpenAPIHono['openAPIRegistry']

export const parameter = (name: 'WebhookId' | 'IdempotencyKey' | 'Limit' | 'Cursor') => ({
  $ref: `#/components/parameters/${name}`,
})

export const schema = (name: 'NewWebhook' | 'WebhookChanges') => ({
  $ref: `#/components/schemas/${name}`,
})

/** On every success. Nothing may be kept: webhooks carry custom headers, which may hold credentials. */
export const ANY_SUCCESS_HEADERS = {
  'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
}

/** Adds the parameters and headers that operations refer to. */
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
      'Makes the call safe to repeat for 24 hours: the same key with the same body answers what the first call answered. Choose it at random, such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '4a7f8f5e-3c0e-4b6c-9f0f-0d1f6f0b9a11',
  })
  registry.registerComponent('parameters', 'Limit', {
    name: 'limit',
    in: 'query',
    description: 'How many webhooks a page has at most. Default: all of them on one page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  })
  registry.registerComponent('parameters', 'Cursor', {
    name: 'cursor',
    in: 'query',
    description: 'Where the page begins: take it, with the whole link, from `Link`.',
    schema: { type: 'string' },
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
  Link: {
    description:
      'The next page (RFC 8288), relative to this one. Missing on the last page and without `limit`.',
    example: '</api/connect/v1/webhooks?limit=20&cursor=wh_01m7wwqnz4e8mbhv0437sz0j6w>; rel="next"',
  },
  'Cache-Control': {
    description: 'Nothing may keep a copy: the answers hold secrets.',
    example: 'no-store',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, and what was wrong with the key (RFC 6750).',
    example:
      'Bearer realm="posthorn", error="invalid_token", error_description="The API key is expired."',
  },
  'Retry-After': { description: 'After how many seconds to try again.', example: 5 },
  'RateLimit-Policy': {
    description:
      'How many requests the API key may make: `q` of them in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    example: '"requests";q=5000;w=10',
  },
  RateLimit: {
    description:
      'How many of them are left, `r`, and in how many seconds all of them are there again, `t`.',
    example: '"requests";r=4999;t=1',
  },
  Allow: { description: 'The methods of the path.', example: 'GET, HEAD, POST' },
}

import { createRoute, z } from '@hono/zod-openapi'
import {
  ANY_OPERATION_ERRORS,
  BODY_ERRORS,
  CONFLICT_ERROR,
  INVALID_ERROR,
  NOT_FOUND_ERROR,
} from './error-responses.ts'
import { EXAMPLE_NEW_WEBHOOK, EXAMPLE_WEBHOOK } from './examples.ts'
import { ANY_SUCCESS_HEADERS, parameter, schema } from './references.ts'
import { webhookSchema } from './schemas.ts'

const WEBHOOK_CONTENT = {
  'application/json': { schema: webhookSchema, example: EXAMPLE_WEBHOOK },
}

export const createWebhookOperation = createRoute({
  method: 'post',
  path: '/webhooks',
  operationId: 'createWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook',
  description:
    'Registers an endpoint and makes its signing secret. Unless `enabled` is true nothing is delivered yet. With an `Idempotency-Key`, a repetition within 24 hours answers the same and registers nothing. Needs the scope `webhooks:write`.',
  parameters: [parameter('IdempotencyKey')],
  request: {
    body: {
      required: true,
      description: 'At most 65,536 bytes.',
      content: {
        'application/json': { schema: schema('NewWebhook'), example: EXAMPLE_NEW_WEBHOOK },
      },
    },
  },
  responses: {
    201: {
      description: 'The webhook, which now exists.',
      headers: { Location: { $ref: '#/components/headers/Location' }, ...ANY_SUCCESS_HEADERS },
      content: WEBHOOK_CONTENT,
    },
    ...BODY_ERRORS,
    ...CONFLICT_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const listWebhooksOperation = createRoute({
  method: 'get',
  path: '/webhooks',
  operationId: 'listWebhooks',
  tags: ['Webhooks'],
  summary: 'List the webhooks',
  description:
    "All webhooks of the caller's organization, oldest first; with `limit`, in pages. Needs the scope `webhooks:read`.",
  parameters: [parameter('Limit'), parameter('Cursor')],
  responses: {
    200: {
      description: 'The webhooks.',
      headers: { Link: { $ref: '#/components/headers/Link' }, ...ANY_SUCCESS_HEADERS },
      content: {
        'application/json': { schema: z.array(webhookSchema), example: [EXAMPLE_WEBHOOK] },
      },
    },
    ...INVALID_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const getWebhookOperation = createRoute({
  method: 'get',
  path: '/webhooks/{webhook_id}',
  operationId: 'getWebhook',
  tags: ['Webhooks'],
  summary: 'Read a webhook',
  description: 'Needs the scope `webhooks:read`.',
  parameters: [parameter('WebhookId')],
  responses: {
    200: { description: 'The webhook.', headers: ANY_SUCCESS_HEADERS, content: WEBHOOK_CONTENT },
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const updateWebhookOperation = createRoute({
  method: 'put',
  path: '/webhooks/{webhook_id}',
  operationId: 'updateWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook',
  description:
    'Changes the fields that are given and leaves the others as they are. The rules of registering hold for what is given. Switching a webhook on also sends what waited meanwhile. Needs the scope `webhooks:write`.',
  parameters: [parameter('WebhookId')],
  request: {
    body: {
      required: true,
      description: 'At most 65,536 bytes.',
      content: {
        'application/json': { schema: schema('WebhookChanges'), example: { enabled: false } },
      },
    },
  },
  responses: {
    200: {
      description: 'The webhook, as it is now.',
      headers: ANY_SUCCESS_HEADERS,
      content: WEBHOOK_CONTENT,
    },
    ...BODY_ERRORS,
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const deleteWebhookOperation = createRoute({
  method: 'delete',
  path: '/webhooks/{webhook_id}',
  operationId: 'deleteWebhook',
  tags: ['Webhooks'],
  summary: 'Remove a webhook',
  description:
    'Removes the webhook with its secrets for good, and cancels the deliveries that are still pending. Needs the scope `webhooks:write`.',
  parameters: [parameter('WebhookId')],
  responses: {
    204: { description: 'It is gone.', headers: ANY_SUCCESS_HEADERS },
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

/** In the order of the document. */
export const webhookOperations = [
  createWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  updateWebhookOperation,
  deleteWebhookOperation,
]

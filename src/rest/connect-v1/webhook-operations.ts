import { createRoute, z } from '@hono/zod-openapi'
import {
  ANY_OPERATION_ERRORS,
  BODY_ERRORS,
  CONFLICT_ERROR,
  INVALID_ERROR,
  NOT_FOUND_ERROR,
  PRECONDITION_ERRORS,
} from './error-responses.ts'
import { EXAMPLE_NEW_WEBHOOK, EXAMPLE_WEBHOOK } from './examples.ts'
import { ANY_SUCCESS_HEADERS, parameterRef, schemaRef, WEBHOOK_HEADERS } from './references.ts'
import { webhookSchema } from './schemas.ts'

const WEBHOOK_CONTENT = {
  'application/json': { schema: webhookSchema, example: EXAMPLE_WEBHOOK },
}

/** The webhook, and conditions on its version. */
const VERSION_PARAMETERS = [
  parameterRef('WebhookId'),
  parameterRef('IfMatch'),
  parameterRef('IfNoneMatch'),
]

export const createWebhookOperation = createRoute({
  method: 'post',
  path: '/webhooks',
  operationId: 'createWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook',
  description:
    'Registers an endpoint and generates its signing secret. Deliveries start only if `enabled` is true. With an `Idempotency-Key`, repeating the call within 24 hours returns the same response and registers nothing. Needs the scope `webhooks:write`.',
  parameters: [parameterRef('IdempotencyKey')],
  request: {
    body: {
      required: true,
      description: 'At most 65,536 bytes.',
      content: {
        'application/json': {
          schema: schemaRef('CreateWebhookInput'),
          example: EXAMPLE_NEW_WEBHOOK,
        },
      },
    },
  },
  responses: {
    201: {
      description: 'The new webhook.',
      headers: { Location: { $ref: '#/components/headers/Location' }, ...WEBHOOK_HEADERS },
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
    "Returns all webhooks of the caller's organization, oldest first; with `limit`, in pages. Needs the scope `webhooks:read`.",
  parameters: [parameterRef('Limit'), parameterRef('Cursor')],
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
  description: 'Returns the webhook. Needs the scope `webhooks:read`.',
  parameters: VERSION_PARAMETERS,
  responses: {
    200: { description: 'The webhook.', headers: WEBHOOK_HEADERS, content: WEBHOOK_CONTENT },
    304: {
      description: 'The version of the webhook is one of those in `If-None-Match`.',
      headers: WEBHOOK_HEADERS,
    },
    ...PRECONDITION_ERRORS,
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const updateWebhookOperation = createRoute({
  method: 'put',
  path: '/webhooks/{webhook_id}',
  operationId: 'updateWebhook',
  tags: ['Webhooks'],
  summary: 'Update a webhook',
  description:
    'Updates the given fields, by the same rules as for registering, and leaves the others unchanged. If all given fields have their values already, nothing changes, `updated_at` included. Enabling a webhook also releases the deliveries that waited. Needs the scope `webhooks:write`.',
  parameters: VERSION_PARAMETERS,
  request: {
    body: {
      required: true,
      description: 'At most 65,536 bytes.',
      content: {
        'application/json': {
          schema: schemaRef('UpdateWebhookInput'),
          example: { enabled: false },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The updated webhook.',
      headers: WEBHOOK_HEADERS,
      content: WEBHOOK_CONTENT,
    },
    ...PRECONDITION_ERRORS,
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
  summary: 'Delete a webhook',
  description:
    'Permanently deletes the webhook and its secrets, and cancels its unfinished deliveries. Needs the scope `webhooks:write`.',
  parameters: VERSION_PARAMETERS,
  responses: {
    204: { description: 'The webhook is deleted.', headers: ANY_SUCCESS_HEADERS },
    ...PRECONDITION_ERRORS,
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

/** In the order of the OpenAPI document. */
export const webhookOperations = [
  createWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  updateWebhookOperation,
  deleteWebhookOperation,
]

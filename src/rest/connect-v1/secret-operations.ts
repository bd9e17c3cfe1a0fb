import { createRoute } from '@hono/zod-openapi'
import { ANY_OPERATION_ERRORS, CONFLICT_ERROR, NOT_FOUND_ERROR } from './error-responses.ts'
import { EXAMPLE_SECRET } from './examples.ts'
import { ANY_SUCCESS_HEADERS, parameter } from './references.ts'
import { secretSchema } from './schemas.ts'

const SECRET_CONTENT = { 'application/json': { schema: secretSchema, example: EXAMPLE_SECRET } }

export const getSecretOperation = createRoute({
  method: 'get',
  path: '/webhooks/{webhook_id}/secret',
  operationId: 'getSigningSecret',
  tags: ['Signing secrets'],
  summary: 'Read the signing secret',
  description:
    'The secret that signs deliveries to the webhook now. Needs the scope `secrets:read`.',
  parameters: [parameter('WebhookId')],
  responses: {
    200: {
      description: 'The current signing secret.',
      headers: ANY_SUCCESS_HEADERS,
      content: SECRET_CONTENT,
    },
    ...NOT_FOUND_ERROR,
    ...CONFLICT_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

export const rotateSecretOperation = createRoute({
  method: 'post',
  path: '/webhooks/{webhook_id}/secret/rotate',
  operationId: 'rotateSigningSecret',
  tags: ['Signing secrets'],
  summary: 'Rotate the signing secret',
  description:
    'Makes a new secret, which signs every delivery from now on, retries included. The old one remains valid for 24 hours: a receiver that must not miss anything accepts both meanwhile. Takes no body. Needs the scope `secrets:rotate`.',
  parameters: [parameter('WebhookId')],
  responses: {
    200: {
      description: 'The new signing secret.',
      headers: ANY_SUCCESS_HEADERS,
      content: SECRET_CONTENT,
    },
    ...NOT_FOUND_ERROR,
    ...ANY_OPERATION_ERRORS,
  },
})

/** In the order of the document. */
export const secretOperations = [getSecretOperation, rotateSecretOperation]

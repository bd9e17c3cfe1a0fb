import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { revealSigningSecret, rotateSigningSecret } from '../../webhooks/signing-secret.ts'
import type { WebhookDeps } from '../../webhooks/webhook.ts'
import { actorOf, authorize, type CallerEnv } from '../caller.ts'
import { ANY_OPERATION_ERRORS, CONFLICT_ERROR, NOT_FOUND_ERROR } from './error-responses.ts'
import { EXAMPLE_SECRET } from './examples.ts'
import { ANY_SUCCESS_HEADERS, parameterRef } from './references.ts'
import { secretSchema } from './schemas.ts'

const SECRET_CONTENT = { 'application/json': { schema: secretSchema, example: EXAMPLE_SECRET } }

const getSecretOperation = createRoute({
  method: 'get',
  path: '/webhooks/{webhook_id}/secret',
  operationId: 'getSigningSecret',
  tags: ['Signing secrets'],
  summary: 'Read the signing secret',
  description:
    'Returns the secret that currently signs deliveries to the webhook. Needs the scope `secrets:read`.',
  parameters: [parameterRef('WebhookId')],
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

const rotateSecretOperation = createRoute({
  method: 'post',
  path: '/webhooks/{webhook_id}/secret/rotate',
  operationId: 'rotateSigningSecret',
  tags: ['Signing secrets'],
  summary: 'Rotate the signing secret',
  description:
    'Generates a new secret, which immediately signs all attempts, including retries. The old secret remains valid for 24 hours; until then, receivers should accept both. At most five old secrets remain valid: a further rotation deletes the oldest at once. A body is ignored. Needs the scope `secrets:rotate`.',
  parameters: [parameterRef('WebhookId')],
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

/** In the order of the OpenAPI document. */
export const secretOperations = [getSecretOperation, rotateSecretOperation]

/** Read and rotate the signing secret of a webhook. */
export function addSecretRoutes(app: OpenAPIHono<CallerEnv>, deps: WebhookDeps): void {
  app.openapi(getSecretOperation, async (c) => {
    const organizationId = authorize(c, 'secrets:read')
    const acting = { ...deps, actor: actorOf(c) }
    const { key } = await revealSigningSecret(acting, organizationId, c.req.param('webhook_id'))
    return c.json({ key }, 200)
  })

  app.openapi(rotateSecretOperation, async (c) => {
    const organizationId = authorize(c, 'secrets:rotate')
    const acting = { ...deps, actor: actorOf(c) }
    const { key } = await rotateSigningSecret(acting, organizationId, c.req.param('webhook_id'))
    return c.json({ key }, 200)
  })
}

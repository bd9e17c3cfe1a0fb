import type { OpenAPIHono } from '@hono/zod-openapi'
import { revealSigningSecret, rotateSigningSecret } from '../../webhooks/signing-secret.ts'
import type { WebhookDeps } from '../../webhooks/webhook.ts'
import { actorOf, authorize, type CallerEnv } from '../caller.ts'
import { getSecretOperation, rotateSecretOperation } from './secret-operations.ts'

/** Read and rotate the signing secret of a webhook. */
export function addSecretRoutes(app: OpenAPIHono<CallerEnv>, deps: WebhookDeps): void {
  app.openapi(getSecretOperation, async (c) => {
    const organizationId = authorize(c, 'secrets:read')
    const depsWithActor = { ...deps, actor: actorOf(c) }
    const { key } = await revealSigningSecret(
      depsWithActor,
      organizationId,
      c.req.param('webhook_id'),
    )
    return c.json({ key }, 200)
  })

  app.openapi(rotateSecretOperation, async (c) => {
    const organizationId = authorize(c, 'secrets:rotate')
    const depsWithActor = { ...deps, actor: actorOf(c) }
    const { key } = await rotateSigningSecret(
      depsWithActor,
      organizationId,
      c.req.param('webhook_id'),
    )
    return c.json({ key }, 200)
  })
}

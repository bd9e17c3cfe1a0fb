import type { OpenAPIHono } from '@hono/zod-openapi'
import { getSigningSecret, rotateSigningSecret } from '../../webhooks/signing-secret.ts'
import type { WebhookDeps } from '../../webhooks/webhook.ts'
import { actorOf, type CallerEnv, permit } from './caller.ts'
import { getSecretOperation, rotateSecretOperation } from './secret-operations.ts'

/** Reading and rotating the signing secret of a webhook. */
export function addSecretRoutes(app: OpenAPIHono<CallerEnv>, deps: WebhookDeps): void {
  app.openapi(getSecretOperation, async (c) => {
    const organizationId = permit(c, 'secrets:read')
    const { key } = await getSigningSecret(deps, organizationId, c.req.param('webhook_id'))
    return c.json({ key }, 200)
  })

  app.openapi(rotateSecretOperation, async (c) => {
    const organizationId = permit(c, 'secrets:rotate')
    const acting = { ...deps, actor: actorOf(c) }
    const { key } = await rotateSigningSecret(acting, organizationId, c.req.param('webhook_id'))
    return c.json({ key }, 200)
  })
}

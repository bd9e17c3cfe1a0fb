import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Db } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { readJsonObject } from '../../http/read-json-object.ts'
import { hashRequest, runOnce } from '../../idempotency/run-once.ts'
import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  type WebhookDeps,
} from '../../webhooks/webhook.ts'
import { actorOf, type CallerEnv, permit } from './caller.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { nextPageLink, readPage } from './page.ts'
import { toWebhookResource } from './schemas.ts'
import { createFromBody, updateFromBody } from './webhook-body.ts'
import {
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listWebhooksOperation,
  updateWebhookOperation,
} from './webhook-operations.ts'

/** Names the call in the table of idempotency keys. */
export const CREATE_WEBHOOK = 'POST /api/connect/v1/webhooks'

/** Registering, listing, reading, changing and removing webhooks. */
export function addWebhookRoutes(app: OpenAPIHono<CallerEnv>, deps: WebhookDeps): void {
  app.openapi(createWebhookOperation, async (c) => {
    const organizationId = permit(c, 'webhooks:write')
    const key = readIdempotencyKey(c.req.header('idempotency-key'))
    const body = await readJsonObject(c.req.raw)
    const acting = { ...deps, actor: actorOf(c) }
    const create = async (tx?: Db) => {
      const webhook = await createFromBody(acting, organizationId, body, tx)
      return { location: `${c.req.path}/${webhook.id}`, resource: toWebhookResource(webhook) }
    }
    const call = { organizationId, operation: CREATE_WEBHOOK, requestHash: hashRequest(body) }
    const { location, resource } =
      key === null
        ? await create()
        : await runOnce(deps, { ...call, key }, async (tx) => {
            const answer = await create(tx)
            return { resourceId: parseId('webhook', answer.resource.id) as string, answer }
          })
    return c.json(resource, 201, { location })
  })

  app.openapi(listWebhooksOperation, async (c) => {
    const organizationId = permit(c, 'webhooks:read')
    const { limit, after } = readPage(c.req.queries())
    // One more than asked for tells whether there is a next page.
    const found = await listWebhooks(deps, organizationId, {
      ...(limit !== undefined && { limit: limit + 1 }),
      ...(after !== undefined && { after }),
    })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    if (limit !== undefined && last && found.length > limit) {
      c.header('link', nextPageLink(c.req.path, limit, last.id))
    }
    return c.json(page.map(toWebhookResource), 200)
  })

  app.openapi(getWebhookOperation, async (c) => {
    const organizationId = permit(c, 'webhooks:read')
    const webhook = await getWebhook(deps, organizationId, c.req.param('webhook_id'))
    return c.json(toWebhookResource(webhook), 200)
  })

  app.openapi(updateWebhookOperation, async (c) => {
    const organizationId = permit(c, 'webhooks:write')
    const body = await readJsonObject(c.req.raw)
    const acting = { ...deps, actor: actorOf(c) }
    const webhook = await updateFromBody(acting, organizationId, c.req.param('webhook_id'), body)
    return c.json(toWebhookResource(webhook), 200)
  })

  app.openapi(deleteWebhookOperation, async (c) => {
    const organizationId = permit(c, 'webhooks:write')
    await deleteWebhook({ ...deps, actor: actorOf(c) }, organizationId, c.req.param('webhook_id'))
    return c.body(null, 204)
  })
}

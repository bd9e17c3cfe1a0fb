import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Db } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { connectionOf } from '../../http/connection.ts'
import {
  checkPreconditions,
  entityTagOf,
  isNotModified,
  readPreconditions,
} from '../../http/preconditions.ts'
import { readJsonObject } from '../../http/read-body.ts'
import { hashRequest, runOnce } from '../../idempotency/run-once.ts'
import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  type Precondition,
  type WebhookDeps,
} from '../../webhooks/webhook.ts'
import { actorOf, authorize, type CallerEnv } from '../caller.ts'
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

/** The operation's name in the table of idempotency keys. */
export const CREATE_WEBHOOK = 'POST /api/connect/v1/webhooks'

/** Create, list, read, update and delete webhooks. */
export function addWebhookRoutes(app: OpenAPIHono<CallerEnv>, deps: WebhookDeps): void {
  app.openapi(createWebhookOperation, async (c) => {
    const organizationId = authorize(c, 'webhooks:write')
    const key = readIdempotencyKey(c.req.header('idempotency-key'))
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    const depsWithActor = { ...deps, actor: actorOf(c) }
    const create = async (tx?: Db) => {
      const webhook = await createFromBody(depsWithActor, organizationId, body, tx)
      return { location: `${c.req.path}/${webhook.id}`, resource: toWebhookResource(webhook) }
    }
    const call = { organizationId, operation: CREATE_WEBHOOK }
    const { location, resource } =
      key === null
        ? await create()
        : await runOnce(deps, { ...call, key, requestHash: hashRequest(body) }, async (tx) => {
            const answer = await create(tx)
            return { resourceId: parseId('webhook', answer.resource.id) as string, answer }
          })
    return c.json(resource, 201, { location, etag: entityTagOf(resource) })
  })

  app.openapi(listWebhooksOperation, async (c) => {
    const organizationId = authorize(c, 'webhooks:read')
    const { limit, after } = readPage(c.req.queries())
    const { inFlight } = connectionOf(c)
    let bytes = 0
    // One more than the limit, to detect a next page.
    const found = await listWebhooks(deps, organizationId, {
      onRead(webhooks) {
        bytes += JSON.stringify(webhooks).length
        inFlight?.resize('response', bytes)
      },
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
    const organizationId = authorize(c, 'webhooks:read')
    const preconditions = readPreconditions(c.req.raw.headers)
    const webhook = await getWebhook(deps, organizationId, c.req.param('webhook_id'))
    const resource = toWebhookResource(webhook)
    const etag = entityTagOf(resource)
    if (isNotModified(preconditions, etag)) return c.body(null, 304, { etag })
    return c.json(resource, 200, { etag })
  })

  app.openapi(updateWebhookOperation, async (c) => {
    const organizationId = authorize(c, 'webhooks:write')
    const precondition = readPrecondition(c)
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    const depsWithActor = { ...deps, actor: actorOf(c) }
    const webhook = await updateFromBody(
      depsWithActor,
      organizationId,
      c.req.param('webhook_id'),
      body,
      precondition,
    )
    const resource = toWebhookResource(webhook)
    return c.json(resource, 200, { etag: entityTagOf(resource) })
  })

  app.openapi(deleteWebhookOperation, async (c) => {
    const organizationId = authorize(c, 'webhooks:write')
    const depsWithActor = { ...deps, actor: actorOf(c) }
    const precondition = readPrecondition(c)
    await deleteWebhook(depsWithActor, organizationId, c.req.param('webhook_id'), precondition)
    return c.body(null, 204)
  })
}

/** The conditions of the request on the webhook that it changes. */
function readPrecondition(c: Context): Precondition {
  const preconditions = readPreconditions(c.req.raw.headers)
  return (current) => checkPreconditions(preconditions, entityTagOf(toWebhookResource(current)))
}

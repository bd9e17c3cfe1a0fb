import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { Db } from '../../../db/client.ts'
import { parseId } from '../../../db/ids.ts'
import { connectionOf } from '../../../http/connection.ts'
import { HttpRejection, methodNotAllowed, notFoundProblem } from '../../../http/problem.ts'
import { readJsonObject } from '../../../http/read-body.ts'
import { hashRequest, runOnce } from '../../../http/run-once.ts'
import { createWebhook, updateWebhook } from '../../../webhooks/save-webhook.ts'
import { revealSigningSecret, rotateSigningSecret } from '../../../webhooks/signing-secret.ts'
import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  type Precondition,
  type WebhookDeps,
} from '../../../webhooks/webhook.ts'
import {
  actorOf,
  authorize,
  type CallerEnv,
  createRestRoutes,
  type RestDeps,
  readIdempotencyKey,
  requireApiKey,
} from '../caller.ts'
import { OPERATIONS, type OperationId } from './openapi.ts'
import { nextPageLink, readPage } from './page.ts'
import { fromBody, toResource } from './webhook-body.ts'

export interface ConnectV1Deps extends RestDeps {
  readonly webhooks: WebhookDeps
}

/**
 * The REST API. Mount it with `server.route(CONNECT_V1_PATH, createConnectV1(deps))`; it handles every path below. With
 * `strict: false`, the server also accepts paths that end in a slash.
 * On existing paths, authentication comes first: requests with any method get 401 without a valid key.
 */
export function createConnectV1(deps: ConnectV1Deps): Hono<CallerEnv> {
  const app = createRestRoutes(deps)
  const ids = Object.keys(OPERATIONS) as OperationId[]
  const byPath = Map.groupBy(ids, (id) => OPERATIONS[id].path.replace(/\{(\w+)\}/, ':$1'))
  for (const [path, operations] of byPath) {
    app.use(path, requireApiKey(deps.authenticate))
    for (const id of operations) {
      const { method } = OPERATIONS[id]
      app.on(method.toUpperCase(), path, (c) => HANDLERS[id](c, deps.webhooks))
    }
    const methods = operations.flatMap((id) => {
      const method = OPERATIONS[id].method.toUpperCase()
      return method === 'GET' ? ['GET', 'HEAD'] : [method]
    })
    app.all(path, (c) => {
      throw methodNotAllowed(c.req.method, methods)
    })
  }
  app.all('*', (c) => notFoundProblem(c.req.path))
  return app
}

type Call = Context<CallerEnv>

/** The operation's name in the table of idempotency keys. */
export const CREATE_WEBHOOK = 'POST /api/connect/v1/webhooks'

const HANDLERS: Readonly<
  Record<OperationId, (c: Call, deps: WebhookDeps) => Response | Promise<Response>>
> = {
  async createWebhook(c, deps) {
    const organizationId = authorize(c, 'webhooks:write')
    const key = readIdempotencyKey(c.req.raw.headers.get('idempotency-key'))
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    const create = async (tx?: Db) => {
      const resource = await fromBody(body, (input, otherIssues) =>
        createWebhook(acting(c, deps), organizationId, input, { otherIssues }, tx),
      )
      return { location: `${c.req.path}/${resource.id}`, resource }
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
  },

  async listWebhooks(c, deps) {
    const organizationId = authorize(c, 'webhooks:read')
    const { limit, after } = readPage(c.req.queries())
    // One more than the limit, to detect a next page.
    const found = await listWebhooks(deps, organizationId, {
      ...(limit !== undefined && { limit: limit + 1 }),
      ...(after !== undefined && { after }),
    })
    connectionOf(c).inFlight?.resize('response', JSON.stringify(found).length)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    if (limit !== undefined && last && found.length > limit) {
      c.header('link', nextPageLink(c.req.path, limit, last.id))
    }
    return c.json(page.map(toResource), 200)
  },

  async getWebhook(c, deps) {
    const organizationId = authorize(c, 'webhooks:read')
    const resource = toResource(await getWebhook(deps, organizationId, webhookId(c)))
    const etag = entityTagOf(resource)
    // Proxies weaken the tag of a response that they compress.
    const known = tagsIn(c.req.header('if-none-match'))?.map((tag) => tag.replace(/^W\//, ''))
    if (known?.includes(etag)) return c.body(null, 304, { etag })
    return c.json(resource, 200, { etag })
  },

  async updateWebhook(c, deps) {
    const organizationId = authorize(c, 'webhooks:write')
    const precondition = readPrecondition(c)
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    const resource = await fromBody(body, (input, otherIssues) => {
      // REST shows the values to every caller who may read webhooks.
      const options = { otherIssues, precondition, movesHeaderValues: true }
      return updateWebhook(acting(c, deps), organizationId, webhookId(c), input, options)
    })
    return c.json(resource, 200, { etag: entityTagOf(resource) })
  },

  async deleteWebhook(c, deps) {
    const organizationId = authorize(c, 'webhooks:write')
    await deleteWebhook(acting(c, deps), organizationId, webhookId(c), readPrecondition(c))
    return c.body(null, 204)
  },

  async getSigningSecret(c, deps) {
    const organizationId = authorize(c, 'secrets:read')
    const { key } = await revealSigningSecret(acting(c, deps), organizationId, webhookId(c))
    return c.json({ key }, 200)
  },

  async rotateSigningSecret(c, deps) {
    const organizationId = authorize(c, 'secrets:rotate')
    const { key } = await rotateSigningSecret(acting(c, deps), organizationId, webhookId(c))
    return c.json({ key }, 200)
  },
}

const acting = (c: Call, deps: WebhookDeps) => ({ ...deps, actor: actorOf(c) })

const webhookId = (c: Call) => c.req.param('webhook_id') as string

/** The strong entity tag of a version of a webhook: the same for the same JSON only. */
function entityTagOf(resource: object): string {
  const hash = createHash('sha256').update(JSON.stringify(resource))
  return `"${hash.digest('base64url')}"`
}

/** None of our tags has a comma. */
const tagsIn = (header: string | undefined) => header?.split(',').map((tag) => tag.trim())

/** Throws `precondition_failed` (412) unless `If-Match`, if given, has the present version: RFC 9110, section 13.1.1. */
function readPrecondition(c: Call): Precondition {
  const wanted = tagsIn(c.req.header('if-match'))
  return (current) => {
    if (!wanted || wanted.includes('*') || wanted.includes(entityTagOf(toResource(current)))) return
    const detail =
      'If-Match does not have the current version. Nothing was changed. Read the webhook again, and send its ETag.'
    throw new HttpRejection('precondition_failed', detail, {
      errors: [{ header: 'If-Match', code: 'other_version', detail }],
    })
  }
}

import { Hono } from 'hono'
import { expect } from 'vitest'
import { createRateLimiter } from '../../../src/auth/access/rate-limit.ts'
import { createAuthenticate } from '../../../src/auth/api-keys/authenticate.ts'
import { createKeyring } from '../../../src/auth/encryption/keyring.ts'
import type { Database } from '../../../src/db/client.ts'
import { createAddressGuard } from '../../../src/outbound/public-address.ts'
import { CONNECT_V1_PATH } from '../../../src/server/rest/connect-v1/openapi.ts'
import { type ConnectV1Deps, createConnectV1 } from '../../../src/server/rest/connect-v1/routes.ts'
import type { Logger } from '../../../src/telemetry/logger.ts'
import { createOutageLog } from '../../../src/telemetry/outages.ts'
import { sharedDatabase } from '../../support/database.ts'
import { createTenant, ENCRYPTION_KEY, JOINED } from '../../support/factories.ts'

export const WEBHOOKS = `${CONNECT_V1_PATH}/webhooks`
export const UNKNOWN_ID = 'wh_01h455vb4pex5vsknk084sn02q'
export const NEW_WEBHOOK = {
  url: 'https://receiver.example/hooks',
  event_subscriptions: [JOINED],
}

export interface CallOptions {
  readonly token?: string | null
  /** An object is sent as JSON, a string or bytes unchanged. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** The REST API on the shared database, mounted as in the server, with a tenant that has all scopes. */
export async function useConnectV1() {
  const database = await sharedDatabase()
  const tenant = await createTenant(database.prisma)
  const logged: LogEntry[] = []
  const deps = connectV1Deps(database, logged)
  const app = mount(deps)

  const call = (method: string, path: string, options: CallOptions = {}) =>
    request(app, method, path, { token: tenant.token, ...options })

  return {
    app,
    call,
    database,
    deps,
    logged,
    tenant,
    /** Creates a webhook for the tenant, or for the tenant of `token`. */
    async create(fields: object = {}, options: CallOptions = {}) {
      const response = await call('POST', '/webhooks', {
        ...options,
        body: { ...NEW_WEBHOOK, ...fields },
      })
      expect(response.status).toBe(201)
      return await json(response)
    },
    countWebhooks: () =>
      database.prisma.webhook.count({
        where: { organizationId: tenant.organizationId, deletedAt: null },
      }),
  }
}

export interface LogEntry {
  readonly level: string
  readonly fields: Record<string, unknown>
}

export function connectV1Deps(database: Database, logged: LogEntry[] = []): ConnectV1Deps {
  const log = (level: string) => (fields: unknown) => {
    logged.push({ level, fields: fields as Record<string, unknown> })
  }
  const logger: Logger = {
    isLevelEnabled: () => true,
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    fatal: log('fatal'),
  }
  const keyring = createKeyring([ENCRYPTION_KEY])
  return {
    authenticate: createAuthenticate(database.pool),
    rateLimiter: createRateLimiter(),
    webhooks: { prisma: database.prisma, keyring, guard: createAddressGuard([]) },
    logger,
    outages: createOutageLog(logger),
  }
}

export function mount(deps: ConnectV1Deps): Hono {
  return new Hono({ strict: false }).route(CONNECT_V1_PATH, createConnectV1(deps))
}

/** `path` is relative to `/api/connect/v1`. */
export async function request(
  app: Hono,
  method: string,
  path: string,
  { token, body, headers = {} }: CallOptions = {},
): Promise<Response> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  return await app.request(CONNECT_V1_PATH + path, {
    method,
    headers: {
      ...(token != null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
export async function json(response: Response): Promise<any> {
  return await response.json()
}

/** Checks that a response is an RFC 9457 problem with this status, and returns its body. */
export async function problem(response: Response, status: number) {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const body = await json(response)
  expect(response.status, body.detail).toBe(status)
  expect(body).toEqual({
    type: expect.stringMatching(/^urn:posthorn:problem:[a-z-]+$/),
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    ...(body.errors && { errors: body.errors }),
    ...(body.instance && { instance: body.instance }),
  })
  return body
}

/** Checks that a request was rejected because of this field only, and returns the body of the response. */
export async function expectInvalid(response: Response, pointer: string, code: string) {
  const body = await problem(response, 422)
  expect(body.errors).toEqual([{ pointer, code, detail: expect.stringMatching(/./) }])
  return body
}

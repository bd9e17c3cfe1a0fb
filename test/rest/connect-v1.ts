import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { expect } from 'vitest'
import { createAuthenticate } from '../../src/api-keys/authenticate.ts'
import type { Database } from '../../src/db/client.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createRateLimiter } from '../../src/rate-limit/rate-limiter.ts'
import {
  CONNECT_V1_PATH,
  type ConnectV1Deps,
  createConnectV1,
} from '../../src/rest/connect-v1/routes.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

export const WEBHOOKS = `${CONNECT_V1_PATH}/webhooks`
export const UNKNOWN_ID = 'wh_01h455vb4pex5vsknk084sn02q'
export const NEW_WEBHOOK = {
  url: 'https://receiver.example/hooks',
  event_subscriptions: [JOINED],
}

export interface CallOptions {
  readonly token?: string | null
  /** An object is sent as JSON, a string or bytes as they are. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** The facade on a database of its own, mounted as the server does, with a tenant who may do everything. */
export async function openConnectV1() {
  const database = await createTestDatabase()
  const tenant = await createTenant(database.prisma)
  const logged: { level: string; facts: Record<string, unknown> }[] = []
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
    /** A new webhook of the tenant, or of the one with `token`. */
    async create(fields: object = {}, options: CallOptions = {}) {
      const response = await call('POST', '/webhooks', {
        ...options,
        body: { ...NEW_WEBHOOK, ...fields },
      })
      expect(response.status).toBe(201)
      return await json(response)
    },
    /** How many webhooks there are, whoever has them. */
    countWebhooks: () => database.prisma.webhook.count({ where: { deletedAt: null } }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export type ConnectV1 = Awaited<ReturnType<typeof openConnectV1>>

const KEYRING = createKeyring([randomBytes(32)])

export function connectV1Deps(
  database: Database,
  logged: { level: string; facts: Record<string, unknown> }[] = [],
): ConnectV1Deps {
  const log = (level: string) => (facts: unknown) => {
    logged.push({ level, facts: facts as Record<string, unknown> })
  }
  return {
    authenticate: createAuthenticate(database.pool),
    rateLimiter: createRateLimiter({ sql: database.pool, onError: () => {} }),
    webhooks: { prisma: database.prisma, keyring: KEYRING, guard: createAddressGuard([]) },
    logger: {
      isLevelEnabled: () => true,
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
      fatal: log('fatal'),
    },
  }
}

export function mount(deps: ConnectV1Deps): Hono {
  return new Hono().route(CONNECT_V1_PATH, createConnectV1(deps))
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

/** Checks that a response is a problem of RFC 9457 with that status, and answers its body. */
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

/** Checks that a request was refused for one field, which is named. */
export async function refused(response: Response, pointer: string, code: string) {
  const body = await problem(response, 422)
  expect(body.errors).toEqual([{ pointer, code, detail: expect.stringMatching(/./) }])
  return body
}

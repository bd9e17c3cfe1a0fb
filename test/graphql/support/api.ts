import { pino } from 'pino'
import { beforeEach, expect } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { createRateLimiter } from '../../../src/auth/access/rate-limit.ts'
import type { Scope } from '../../../src/auth/access/scope.ts'
import { createAuthenticate, findEnded } from '../../../src/auth/api-keys/authenticate.ts'
import { createKeyring } from '../../../src/auth/encryption/keyring.ts'
import { createAuthenticateSession } from '../../../src/auth/sessions/session.ts'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { createCatalogue } from '../../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../../src/events/publish-events.ts'
import { createAddressGuard } from '../../../src/outbound/public-address.ts'
import { createGraphqlHandler, type GraphqlDeps } from '../../../src/server/graphql-handler.ts'
import { LiveHub } from '../../../src/streams/live/hub.ts'
import { createOutageLog } from '../../../src/telemetry/outages.ts'
import { createTestDatabase, PATIENT, sharedDatabase } from '../../support/database.ts'
import { createTenant, ENCRYPTION_KEY } from '../../support/factories.ts'
import { useResource } from '../../support/use-resource.ts'
import { document } from './document.ts'
import { addWebhook, deliveryIds, publish } from './rows.ts'
import { recordStatements } from './statements.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
  readonly errors: any[] | undefined
  readonly extensions: unknown
}

/** The GraphQL API, by default on a database of its own, called without a socket. */
export async function openApi(opened?: Database) {
  const database = opened ?? (await createTestDatabase())
  const statements = recordStatements(database)
  const log: Record<string, unknown>[] = []
  const logger = pino(
    { level: 'trace', serializers: { error: pino.stdSerializers.err } },
    { write: (line: string) => log.push(JSON.parse(line)) },
  )
  const deps = createDeps(database, logger)
  const handle = createGraphqlHandler(deps)

  async function call(token: string | null, query: string, variables: object = {}) {
    statements.clear()
    return await send(token, { query, variables })
  }

  /** Sends a body to the letter, or an object as JSON. */
  async function send(token: string | null, body: unknown, headers?: Record<string, string>) {
    return await readAnswer(await handle(request(token, body, headers)))
  }

  /** The dependencies, for domain functions that a test calls itself. */
  const own = { ...deps, actor: SYSTEM, webhooks: { ...deps.webhooks, actor: SYSTEM } }

  /** Creates an organization with an API key, and returns both with the calls of the key. */
  async function tenant(scopes?: readonly Scope[]) {
    const created = await createTenant(database.prisma, scopes)
    const { organizationId, token } = created
    // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
    async function ask(query: string, variables?: object): Promise<any> {
      const { data, errors } = await call(token, query, variables)
      expect(errors).toBeUndefined()
      return data
    }
    return {
      ...created,
      call: (query: string, variables?: object) => call(token, query, variables),
      /** The data of a response without errors. */
      ask,
      /** The result of the one field of an operation of `docs/examples/graphql/<file>.graphql`. */
      // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
      run: async (file: string, operation: string, variables?: object): Promise<any> =>
        Object.values(await ask(document(file, operation), variables))[0],
      addWebhook: (fields?: Parameters<typeof addWebhook>[2]) =>
        addWebhook({ deps: own }, organizationId, fields),
      publish: (count?: number, type?: string) =>
        publish({ deps: own }, organizationId, count, type),
      deliveryIds: () => deliveryIds(database, organizationId),
    }
  }

  return {
    database,
    deps: own,
    handle,
    call,
    send,
    statements,
    log,
    tenant,
    async [Symbol.asyncDispose]() {
      await deps.live[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

export type Api = Awaited<ReturnType<typeof openApi>>
export type Tenant = Awaited<ReturnType<Api['tenant']>>

/** The API of a file of tests: on the database that the files of a worker process share, or on its own. */
export async function useApi(database: 'shared' | 'own' = 'shared'): Promise<Api> {
  if (database === 'own') return await useResource(openApi())
  return await useResource(openApi(openDatabase((await sharedDatabase()).url, PATIENT)))
}

/** Another organization for each test. */
export function useTenant(api: Api, scopes?: readonly Scope[]): Tenant {
  const tenant = {} as Tenant
  beforeEach(async () => {
    Object.assign(tenant, await api.tenant(scopes))
  })
  return tenant
}

function createDeps({ url, prisma, pool }: Database, logger: GraphqlDeps['logger']): GraphqlDeps {
  return {
    prisma,
    sql: pool,
    authenticate: createAuthenticate(pool),
    authenticateSession: createAuthenticateSession(pool),
    rateLimiter: createRateLimiter(),
    webhooks: {
      prisma,
      keyring: createKeyring([ENCRYPTION_KEY]),
      guard: createAddressGuard(['127.0.0.1/32']),
    },
    publishEvents: createPublishEvents(pool, createCatalogue(pool)),
    live: new LiveHub({
      databaseUrl: url,
      sql: pool,
      findEnded: (callers) => findEnded(pool, callers),
      onError: (error) => logger.warn({ error }, 'the live connection broke'),
    }),
    publicUrl: null,
    sendsEmail: true,
    logger,
    outages: createOutageLog(logger),
    corsOrigins: [],
    trustedDocuments: null,
  }
}

export function request(
  token: string | null,
  body: unknown,
  headers: Record<string, string> = {},
): Request {
  return new Request('http://127.0.0.1:4000/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export async function readAnswer(response: Response): Promise<Answer> {
  const { data, errors, extensions } = JSON.parse(await response.text())
  return { status: response.status, headers: response.headers, data, errors, extensions }
}

import { loadConfig } from '../../src/config/config.ts'
import type { Role, Settings } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/client.ts'
import { type App, startApp } from '../../src/run/app.ts'
import type { Services } from '../../src/run/services.ts'
import { createTestDatabase, leaveAsFound, sharedDatabase } from './database.ts'
import { createTenant, ENCRYPTION_KEY } from './factories.ts'
import { postGraphql } from './post-graphql.ts'
import { sharedAuthority } from './receiver.ts'
import { useResource } from './use-resource.ts'

export interface TestApp extends AsyncDisposable {
  readonly app: App
  /** Those of the API. */
  readonly services: Services
  readonly database: Database
  readonly tenant: Awaited<ReturnType<typeof createTenant>>
  /** A REST call to `/api/connect/v1<path>` with the tenant's key. */
  rest(method: string, path: string, body?: unknown): Promise<Response>
  /** Sends a GraphQL request, by default with the tenant's key. Returns the data, or throws the errors. */
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  graphql(query: string, variables?: object, token?: string): Promise<any>
}

export interface TestAppOptions {
  readonly environment?: Record<string, string>
  readonly trustedAuthorities?: readonly string[]
  readonly role?: Role
  /** Default: a new database. */
  readonly database?: Database
}

/** Settings for tests: a free port, deliveries to the loopback interface allowed, fast retries. */
export function testEnvironment(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    POSTHORN_ENCRYPTION_KEYS: ENCRYPTION_KEY.toString('base64'),
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    POSTHORN_RETRY_SCHEDULE: '100ms,100ms,100ms',
    POSTHORN_LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
  }
}

/** What the files of a worker process share. The process ends with its last file, and the databases with the run. */
const shared: { api?: Promise<TestApp>; all?: Promise<TestApp> } = {}

async function startShared(role: 'api' | 'all'): Promise<TestApp> {
  return role === 'api'
    ? await startTestApp({ role, database: await sharedDatabase() })
    : await startTestApp({ trustedAuthorities: [(await sharedAuthority()).pem] })
}

/**
 * Posthorn for the tests of a file, with an organization of its own: the process that the files of a worker share, which
 * trusts the receivers of `useReceiver`, with `role: 'api'` the one that delivers nothing. Other options start one for
 * this file alone.
 */
export async function useTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { role = 'all', ...others } = options
  if (Object.keys(others).length > 0 || role === 'worker')
    return await useResource(startTestApp(options))
  shared[role] ??= startShared(role)
  const { app, database } = await shared[role]
  await leaveAsFound(database)
  return calls(app, database, await createTenant(database.prisma))
}

/** Starts Posthorn in this process: API and worker with a real Postgres and real sockets. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase())
  const tenant = await createTenant(database.prisma)
  const environment = { ...testEnvironment(database.url), ...options.environment }
  const { config, secrets } = loadConfig(environment)
  const app = await startApp(
    {
      config,
      secrets: secrets as Settings['secrets'],
      trustedAuthorities: options.trustedAuthorities ?? [],
    },
    options.role ?? 'all',
  )
  return calls(app, database, tenant, async () => {
    await app[Symbol.asyncDispose]()
    if (!options.database) await database[Symbol.asyncDispose]()
  })
}

function calls(
  app: App,
  database: Database,
  tenant: TestApp['tenant'],
  dispose = async () => {},
): TestApp {
  return {
    app,
    get services() {
      if (app.services === null) throw new Error('A worker has no services of the API.')
      return app.services
    },
    database,
    tenant,
    rest: (method, path, body) =>
      fetch(`${app.url}/api/connect/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tenant.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async graphql(query, variables = {}, token = tenant.token) {
      const { data, errors } = await postGraphql(app.url, token, query, variables)
      if (errors) throw new Error(JSON.stringify(errors))
      return data
    },
    [Symbol.asyncDispose]: dispose,
  }
}

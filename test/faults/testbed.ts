import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Role } from '../../src/config/settings.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { testEnvironment } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { startMember } from './members.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/** A Postgres server, a receiver, and Posthorn processes that deliver to the receiver. */
export async function openTestbed(seed: number) {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn faults '))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const postgres = stack.use(await startPostgresServer(directory))
  const receiver = stack.use(await startCountingReceiver(seed))
  const token = await createTenantIn(postgres)
  const environment = await environmentOf(directory, postgres.url, receiver.authority)
  const opened = stack.move()
  return {
    /** The token is the API key of the organization. */
    ...{ postgres, receiver, token },
    /** Resolves when the process is ready. */
    start: async (name: string, role: Role) =>
      opened.use(await startMember(name, role, environment)),
    /** Creates two webhooks: one with a reliable endpoint, and one whose endpoint sometimes fails. */
    async register(apiUrl: string) {
      for (const hook of ['steady', 'shaky']) {
        await register(apiUrl, token, `${receiver.url}/${hook}`)
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function createTenantIn(postgres: PostgresServer): Promise<string> {
  await using database = openDatabase(postgres.url)
  await migrate(database.pool)
  return (await createTenant(database.prisma)).token
}

async function environmentOf(directory: string, databaseUrl: string, authority: string) {
  const file = path.join(directory, 'ca.pem')
  await writeFile(file, authority)
  return {
    ...testEnvironment(databaseUrl),
    POSTHORN_EGRESS_CA_FILE: file,
    POSTHORN_ATTEMPT_TIMEOUT: '3s',
    POSTHORN_RETRY_SCHEDULE: '200ms,500ms,1s,1s,1s,1s,1s,1s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s',
    POSTHORN_LOG_LEVEL: 'warn',
  }
}

async function register(apiUrl: string, token: string, url: string): Promise<void> {
  const response = await fetch(`${apiUrl}/api/connect/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_subscriptions: [JOINED], enabled: true }),
  })
  if (response.status !== 201) throw new Error(`The webhook was rejected: ${await response.text()}`)
}

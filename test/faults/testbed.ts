import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Role } from '../../src/config/settings.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { testEnvironment } from '../support/app.ts'
import { createTenant } from '../support/factories.ts'
import { callerWith } from '../support/post-graphql.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { startMember } from './members.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/** A Postgres server, a receiver, and Posthorn processes that deliver to the receiver. */
export async function openTestbed(seed: number) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'posthorn faults ')))
  const postgres = stack.use(await startPostgresServer(folder.path))
  const receiver = stack.use(await startCountingReceiver(seed))
  const token = await createTenantIn(postgres)
  const environment = await environmentOf(folder.path, postgres.url, receiver.authority)
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
        await createWebhook(callerWith(apiUrl, token), `${receiver.url}/${hook}`)
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

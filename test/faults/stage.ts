import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Role } from '../../src/config/settings.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { testEnvironment } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { type Member, startMember } from './members.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'

/** A Postgres and a receiver of its own, and what processes need to deliver from the one to the other. */
export interface Stage extends AsyncDisposable {
  readonly postgres: OwnPostgres
  readonly receiver: CountingReceiver
  /** The API key of the organization. */
  readonly token: string
  /** Resolves when it is ready. */
  start(name: string, role: Role): Promise<Member>
  /** Lets two webhooks subscribe: one whose endpoint is steady, and one whose endpoint fails now and then. */
  register(apiUrl: string): Promise<void>
}

export async function openStage(seed: number): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn faults '))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const postgres = stack.use(await startOwnPostgres(directory))
  const receiver = stack.use(await startCountingReceiver(seed))
  const token = await createTenantIn(postgres)
  const environment = await environmentOf(directory, postgres.url, receiver.authority)
  const opened = stack.move()
  return {
    postgres,
    receiver,
    token,
    start: async (name, role) => opened.use(await startMember(name, role, environment)),
    async register(apiUrl) {
      for (const hook of ['steady', 'shaky'])
        await register(apiUrl, token, `${receiver.url}/${hook}`)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function createTenantIn(postgres: OwnPostgres): Promise<string> {
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
    POSTHORN_RETRY_SCHEDULE: '200ms,500ms,1s,1s,1s,1s,1s,1s,2s,2s,2s,2s,2s',
    POSTHORN_LOG_LEVEL: 'warn',
  }
}

async function register(apiUrl: string, token: string, url: string): Promise<void> {
  const response = await fetch(`${apiUrl}/api/connect/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_subscriptions: [JOINED], enabled: true }),
  })
  if (response.status !== 201) throw new Error(`The webhook was refused: ${await response.text()}`)
}

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { hostUrl } from './host-url.ts'
import { GERMAN, TURKISH } from './hostile-locales.ts'
import { startHostilePostgres } from './hostile-postgres.ts'
import { hostileSettingsSql } from './hostile-settings.ts'
import { logLine } from './log-lines.ts'
import { callerWith } from './post-graphql.ts'
import { runPosthorn, startPosthorn } from './posthorn-process.ts'
import { startReceiver } from './receiver.ts'
import { withDatabase } from './with-database.ts'

export type HostilePosthorn = Awaited<ReturnType<typeof startHostilePosthorn>>

const DATABASE = 'of_somebody_else'

/**
 * The real program in a time zone and language of its own, on a Postgres that somebody else configured. It trusts the
 * receiver. `version` is as for `findPostgres`.
 */
export async function startHostilePosthorn(version: string) {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn hostile '))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = stack.use(await startHostilePostgres(folder, version))
  const databaseUrl = await createHostileDatabase(postgres.url)
  const receiver = stack.use(await startReceiver())
  const authority = path.join(folder, 'ca.pem')
  await writeFile(authority, receiver.authority)
  const environment = {
    ...{ TZ: 'Asia/Kolkata', LANG: GERMAN, LC_ALL: TURKISH },
    DATABASE_URL: databaseUrl,
    PORT: '0',
    POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    POSTHORN_EGRESS_CA_FILE: authority,
    POSTHORN_RETRY_SCHEDULE: '1s,1s',
  }
  const program = stack.use(startPosthorn(['start'], { cwd: folder, environment }))
  const { url } = await logLine(program, { msg: 'ready' })
  const caller: Record<string, string> = { ...environment, PORT: new URL(url).port }
  /** Runs a command, and returns the value that it prints. */
  const command = async <Printed>(...args: readonly string[]): Promise<Printed> => {
    const options = { cwd: folder, environment: caller }
    const { code, stdout, stderr } = await runPosthorn([...args, '--json'], options)
    if (code !== 0) throw new Error(`posthorn ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout) as Printed
  }
  const organization = await command<{ id: string; created_at: string }>(
    ...['organization', 'create', 'Harvest Fair'],
  )
  const scopes = [...SCOPES].join(',')
  const { token } = await command<{ token: string }>(
    ...['key', 'create', '--organization', organization.id, '--scope', scopes],
  )
  caller['POSTHORN_API_KEY'] = token
  const started = stack.move()
  return {
    /** The organization is as the command line printed it, and the token has every scope. */
    ...{ url, databaseUrl, organization, organizationId: organization.id, token, receiver },
    log: program,
    ...callerWith(url, token),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** The settings of the database come after those of the server, and before those of the role. */
async function createHostileDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: hostUrl(url) })
  await client.connect()
  await client.query(`create database ${DATABASE}`)
  await client.query(hostileSettingsSql(DATABASE))
  await client.end()
  return withDatabase(url, DATABASE)
}

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { createTestAuthority } from '../../outbound/certificates.ts'
import { postGraphql } from '../../support/post-graphql.ts'
import { type PosthornProcess, startPosthorn } from '../../support/posthorn-process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { createKey, createOrganization } from './call.ts'

export type ConsoleServer = Awaited<ReturnType<typeof startConsoleServer>>

export interface ConsoleServerOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** One more certificate authority to trust, as PEM. */
  readonly authority?: string
  /** What ends with the server. */
  readonly alsoEnds?: AsyncDisposable
}

/** The environment variable with the data directory of an installation that has been started once, for a copy of it. */
export const STARTED_ONCE = 'POSTHORN_TEST_STARTED_ONCE'

/** The real program with its own embedded Postgres, and a receiver that it trusts. */
export async function startConsoleServer(options: ConsoleServerOptions = {}) {
  const cwd = await mkdtemp(path.join(tmpdir(), 'posthorn console '))
  const dataDir = path.join(cwd, '.posthorn')
  const authority = await createTestAuthority()
  const receiver = await startReceiver(authority)
  const authorityFile = path.join(cwd, 'receiver-ca.pem')
  await writeFile(authorityFile, `${authority.pem}\n${options.authority ?? ''}`)
  const startedOnce = process.env[STARTED_ONCE]
  // Spares the creation of a cluster and its migration. A copy by Node would belong to another user than the original.
  if (startedOnce) await promisify(execFile)('cp', ['-a', startedOnce, dataDir])
  let port = options.environment?.['PORT'] ?? '0'
  let posthorn: PosthornProcess
  let url = ''
  let token = ''

  async function start() {
    posthorn = startPosthorn(['start'], {
      cwd,
      environment: {
        POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s,1s',
        POSTHORN_EGRESS_CA_FILE: authorityFile,
        POSTHORN_LOG_LEVEL: 'warn',
        ...options.environment,
        PORT: port,
      },
    })
    url = await readyUrl(posthorn)
    port = new URL(url).port
    token ||= (await readFile(path.join(dataDir, 'api-key'), 'utf8')).trim()
  }

  await start()
  return {
    receiver,
    /** What the server trusts: the authority of its receivers. */
    authority,
    get url() {
      return url
    },
    /** The API key that the first start created, with the scope `admin`. */
    get token() {
      return token
    },
    /** The sign-in link that the last start printed. */
    get signInLink() {
      return /Console +(\S+)/.exec(posthorn.stderr)?.[1] ?? ''
    },
    /** Sends a GraphQL request. Returns its data, or throws its errors. */
    async graphql(
      query: string,
      variables?: object,
      as = token,
      headers?: Readonly<Record<string, string>>,
      // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
    ): Promise<any> {
      const { data, errors } = await postGraphql(url, as, query, variables, headers)
      if (errors) throw new Error(JSON.stringify(errors))
      return data
    },
    /** Connects to the Postgres, for data that no API can create, such as past statistics. */
    async openDatabase(): Promise<Database> {
      const postgres = await openEmbeddedPostgres(dataDir)
      const database = openDatabase(postgres.url)
      return {
        ...database,
        async [Symbol.asyncDispose]() {
          await database[Symbol.asyncDispose]()
          await postgres[Symbol.asyncDispose]()
        },
      }
    },
    /** Kills the process with SIGKILL. */
    async kill() {
      posthorn.child.kill('SIGKILL')
      await posthorn.ended
    },
    /** Starts the process again, on the same port. */
    start,
    async [Symbol.asyncDispose]() {
      await posthorn[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await rm(cwd, { recursive: true, force: true })
      await options.alsoEnds?.[Symbol.asyncDispose]()
    },
  }
}

/** A server for the stories of one file: with an organization of its own, and an API key of that with every scope. */
export async function forNewOrganization(server: ConsoleServer): Promise<ConsoleServer> {
  const receiver = await startReceiver(server.authority)
  const headers = { 'posthorn-organization': await createOrganization(server, 'My organization') }
  const inside = {
    graphql: (query: string, variables?: object) =>
      server.graphql(query, variables, server.token, headers),
  }
  const token = await createKey(inside, ['admin'], 'Initial key')
  return {
    ...server,
    receiver,
    token,
    graphql: (query, variables, as = token) => server.graphql(query, variables, as),
    [Symbol.asyncDispose]: async () => await receiver[Symbol.asyncDispose](),
  }
}

/** Waits until a process is ready, and returns the URL of its server. */
export async function readyUrl(posthorn: PosthornProcess): Promise<string> {
  const ready = () => /is ready at (\S+)/.exec(posthorn.stderr)?.[1]
  await until(() => ready() || posthorn.child.exitCode !== null, 'Posthorn is ready', 30_000)
  const url = ready()
  if (url === undefined) throw new Error(`Posthorn did not start:\n${posthorn.stderr}`)
  return url
}

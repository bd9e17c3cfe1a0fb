import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { isDatabaseUnavailable } from '../../src/db/faults.ts'
import { sharedDatabase } from '../support/database.ts'
import { listen } from '../support/listen.ts'

/*
 * `pg` and Prisma's adapter give these errors no code of their own, so src/db/faults.ts recognizes their texts. Each test
 * provokes one of them, and fails when an upgrade changes the text.
 */

const database = await sharedDatabase()

test.each<[text: string, provoke: () => Promise<unknown>]>([
  ['connect ENOENT', () => connectTo('postgres://posthorn@%2Fnowhere/posthorn')],
  [
    'timeout expired',
    async () => connectTo(await serve(() => {}), { connectionTimeoutMillis: 20 }),
  ],
  ['Connection terminated', queryOnBreakingConnection],
  ['Client was closed and is not queryable', queryAfterEnd],
  ['Client has encountered a connection error', queryAfterError],
])(
  'an error of pg with the text "%s" means that Postgres is unavailable',
  async (text, provoke) => {
    const error = await provoke().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toContain(text)
    expect(isDatabaseUnavailable(error)).toBe(true)
  },
)

test.each<[text: string, url: () => Promise<string>]>([
  ['DatabaseNotReachable', async () => 'postgres://posthorn@127.0.0.1:1/posthorn'],
  ['ConnectionClosed', () => serve((socket) => socket.resetAndDestroy())],
])(
  "an error of Prisma's adapter of the kind %s means that Postgres is unavailable",
  async (kind, url) => {
    await using unavailable = openDatabase(await url())
    const query = unavailable.prisma.$queryRaw`select 1`
    const error = await query.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ meta: { driverAdapterError: { cause: { kind } } } })
    expect(isDatabaseUnavailable(error)).toBe(true)
  },
)

async function connectTo(connectionString: string, options: pg.ClientConfig = {}): Promise<void> {
  await new pg.Client({ connectionString, ...options }).connect()
}

/** Listens for the duration of the test. Returns the URL of a database that this server stands in for. */
async function serve(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection)
  onTestFinished(() => void server.close())
  return `postgres://posthorn@127.0.0.1:${await listen(server)}/posthorn`
}

async function openClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  return client
}

function breakConnection(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.destroy()
}

async function queryOnBreakingConnection(): Promise<void> {
  const client = await openClient()
  const query = client.query('select 1')
  breakConnection(client)
  await query
}

async function queryAfterEnd(): Promise<void> {
  const client = await openClient()
  await client.end()
  await client.query('select 1')
}

async function queryAfterError(): Promise<void> {
  const client = await openClient()
  const failed = once(client, 'error')
  breakConnection(client)
  await failed
  await client.query('select 1')
}

import { createServer } from 'node:net'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import type { Database } from '../../src/db/client.ts'
import { type PosthornOptions, startPosthorn } from '../../src/run/start-posthorn.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { useFolder } from '../support/use-folder.ts'

const KEY = testEnvironment('')['POSTHORN_ENCRYPTION_KEYS'] as string

const dataDir = await useFolder('host')
const database = useFreshDatabase()
let options: PosthornOptions

beforeEach(() => {
  options = { databaseUrl: database.url, encryptionKeys: [KEY], port: 0, logLevel: 'silent' }
})

test('Posthorn runs in the process until it is disposed of, which leaves nothing behind', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const listeners = () => signals.map((signal) => process.listenerCount(signal))
  const before = listeners()
  const sessions = await sessionsOf(database)
  const posthorn = await startPosthorn(options)
  expect((await fetch(`${posthorn.url}/readyz`)).status).toBe(200)
  expect(listeners()).toEqual(before)
  await posthorn[Symbol.asyncDispose]()
  await expect(fetch(`${posthorn.url}/readyz`)).rejects.toThrow()
  await expect.poll(() => sessionsOf(database)).toEqual(sessions)
})

/** The sessions of clients, without the one that asks: an autovacuum comes and goes. */
async function sessionsOf({ pool }: Database): Promise<number[]> {
  const { rows } = await pool.query(
    `select pid from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
     order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

test('a process can run several: here the API and the worker of a database, and another database', async () => {
  await using other = await createTestDatabase()
  await using api = await startPosthorn({ ...options, role: 'api' })
  await using worker = await startPosthorn({ ...options, role: 'worker' })
  await using second = await startPosthorn({ ...options, databaseUrl: other.url })
  const answers = [api, worker, second].map(
    async ({ url }) => (await fetch(`${url}/readyz`)).status,
  )
  expect(await Promise.all(answers)).toEqual([200, 200, 200])
  const consoles = [api, worker].map(async ({ url }) => (await fetch(`${url}/console`)).status)
  expect(await Promise.all(consoles)).toEqual([200, 404])
})

test('publishes for the host, by the rules of the API, and gives the URL of the database', async () => {
  await using posthorn = await startPosthorn(options)
  expect(posthorn).toMatchObject({ databaseUrl: database.url, apiKey: null })
  const event = { type: JOINED, data: { attendee: 'Ada' }, idempotencyKey: 'host' }
  await expect(posthorn.publish(event)).rejects.toThrow(/organization/)
  const one = await createTenant(database.prisma)
  const published = await posthorn.publish(event)
  expect(published).toEqual({
    id: expect.stringMatching(/^evt_/),
    deliveryCount: 0,
    duplicate: false,
  })
  expect(await posthorn.publish(event)).toEqual({ ...published, duplicate: true })
  await expect(posthorn.publish({ type: JOINED, data: 7 })).rejects.toThrow(
    /does not match the schema/,
  )
  // @ts-expect-error The types ask for the data, too.
  await expect(posthorn.publish({ type: JOINED })).rejects.toThrow(/data is required/)
  await createTenant(database.prisma)
  await expect(posthorn.publish(event)).rejects.toThrow(
    'organization is required, as there are several',
  )
  const named = { ...event, organization: one.publicOrganizationId }
  expect(await posthorn.publish(named)).toMatchObject({ duplicate: true })
  await using worker = await startPosthorn({ ...options, role: 'worker' })
  await expect(worker.publish(named)).rejects.toThrow('A worker does not publish')
})

test('with an embedded Postgres, the host gets the API key, at each start', async () => {
  const keys: (string | null)[] = []
  for (let start = 0; start < 2; start++) {
    await using posthorn = await startPosthorn({ dataDir, port: 0, logLevel: 'silent' })
    keys.push(posthorn.apiKey)
    const headers = { authorization: `Bearer ${posthorn.apiKey}` }
    const response = await fetch(`${posthorn.url}/api/connect/v1/webhooks`, { headers })
    expect(response.status).toBe(200)
    const client = new pg.Client({ connectionString: posthorn.databaseUrl })
    await client.connect()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
  }
  expect(keys).toEqual([expect.stringMatching(/^phk_/), keys[0]])
})

test('the variables of the host are not its settings', async () => {
  process.env['POSTHORN_NO_SUCH_SETTING'] = '1'
  process.env['HOST'] = 'nowhere.invalid'
  try {
    await using posthorn = await startPosthorn(options)
    expect(new URL(posthorn.url).hostname).toBe('127.0.0.1')
  } finally {
    delete process.env['POSTHORN_NO_SUCH_SETTING']
    delete process.env['HOST']
  }
})

// Also what only JavaScript can pass.
async function failureOf(wrong: object): Promise<string> {
  try {
    await using posthorn = await startPosthorn({ ...options, ...wrong } as PosthornOptions)
    return posthorn.url
  } catch (error) {
    return (error as Error).message
  }
}

describe('an error says what to change, with the names of the options:', () => {
  test('options that do not exist, have no value or a wrong one, all at once, and what the settings do not allow', async () => {
    const unknown = await failureOf({ databaseURL: 'x', port: undefined, role: 'both' })
    expect(unknown).toContain('databaseURL is not an option. Did you mean "databaseUrl"?')
    expect(unknown).toContain('port is undefined: leave it out')
    expect(unknown).toContain('role is "both": give one of all, api, worker.')
    const wrong = await failureOf({ port: 70_000, retrySchedule: ['5s', '1 hour'] })
    expect(wrong).toContain('port is "70000": give a whole number from 0 to 65535.')
    expect(wrong).toContain('retrySchedule is "5s,1 hour": give a whole number and a unit')
    const { encryptionKeys: _, ...withoutKeys } = options
    await expect(startPosthorn(withoutKeys)).rejects.toThrow(
      'encryptionKeys is required with databaseUrl',
    )
  })

  test('a port in use', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    try {
      expect(await failureOf({ port })).toContain(`choose another port: port=${port + 1}`)
    } finally {
      server.close()
    }
  })

  test('a database that cannot be reached', async () => {
    const port = await freePort()
    const databaseUrl = `postgres://posthorn@127.0.0.1:${port}/posthorn`
    expect(await failureOf({ databaseUrl })).toMatch(
      /^Cannot connect to Postgres .*Check databaseUrl/,
    )
  })
})

test('each setting is an option', async () => {
  const names = Object.keys(SETTINGS).map((name) =>
    name
      .replace('POSTHORN_', '')
      .toLowerCase()
      .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  )
  const all = Object.fromEntries(names.map((name) => [name, '?']))
  expect(await failureOf(all)).not.toContain('is not an option')
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { proxiedUrl, startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

let directory: string
let database: Database
let proxy: TcpProxy
let receiver: Receiver
let token: string
let posthorn: PosthornProcess
let url: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn outage log '))
  database = await createTestDatabase()
  proxy = await startTcpProxy(Number(new URL(database.url).port))
  receiver = await startReceiver()
  token = (await createTenant(database.prisma)).token
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  posthorn = startPosthorn(['start'], {
    environment: {
      ...testEnvironment(proxiedUrl(database.url, proxy)),
      POSTHORN_LOG_LEVEL: 'info',
      POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
    },
  })
  url = (await logLine(posthorn, { msg: 'ready' }))['url']
  await call('/api/connect/v1/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function call(path: string, body: object): Promise<Response> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.text()
  return response
}

function publish(): Promise<Response> {
  const query = `mutation { publishEvent(input: { type: "${JOINED}", data: {} }) { __typename } }`
  return call('/graphql', { query })
}

/** The lines about Postgres, and all others above level info. */
function linesAboutPostgres() {
  return logLines(posthorn).filter(
    ({ event, level }) => event?.startsWith('postgres.') || !['debug', 'info'].includes(level),
  )
}

async function setTrigger(table: 'events' | 'attempts', isFull: boolean): Promise<void> {
  await database.pool.query(
    isFull
      ? `create or replace function reject() returns trigger language plpgsql as $$
         begin raise disk_full using message = 'could not extend file: No space left on device'; end $$;
         create trigger reject before insert on posthorn.${table} for each row execute function reject()`
      : `drop trigger reject on posthorn.${table}`,
  )
}

test('an outage of Postgres is one line at its beginning and one at its end, for the API and the worker together', async () => {
  const before = linesAboutPostgres().length
  proxy.blackhole()
  for (let count = 0; count < 3; count++) {
    const answers = await Promise.all([publish(), publish(), publish()])
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('x-request-id')).toMatch(/./)
    }
  }
  await logLine(posthorn, { event: 'postgres.unavailable' })
  proxy.restore()
  await until(async () => (await publish()).status === 200, 'an event is accepted')
  await logLine(posthorn, { event: 'postgres.available' }, 30_000)
  const lines = linesAboutPostgres().slice(before)
  // The worker replaces its runner, whose connections broke.
  const others = lines.filter(({ event }) => event !== 'runner.replaced')
  expect(others).toMatchObject([
    { level: 'warn', event: 'postgres.unavailable', cause: 'unreachable' },
    {
      level: 'info',
      event: 'postgres.available',
      msg: 'Postgres is available again; work resumes.',
    },
  ])
  expect(JSON.stringify(lines)).not.toContain('    at ')
})

test('a full disk is one line at level error with the remedy, however many requests fail', async () => {
  const before = linesAboutPostgres().length
  await setTrigger('events', true)
  for (let count = 0; count < 3; count++) {
    const answer = await publish()
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
  }
  await setTrigger('events', false)
  // The thread that logs is not the one that answers.
  await logLine(posthorn, { event: 'postgres.unavailable', cause: 'disk_full' })
  expect(linesAboutPostgres().slice(before)).toMatchObject([
    {
      level: 'error',
      event: 'postgres.unavailable',
      cause: 'disk_full',
      error: { code: '53100', message: 'could not extend file: No space left on device' },
      msg: expect.stringMatching(/^The disk of Postgres is full\. Free space/),
    },
  ])
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { logLine } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** What serves the API. */
const API = [
  '@graphql-tools/utils',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@pothos/core',
  '@prisma/adapter-pg',
  '@prisma/client',
  'graphql',
  'graphql-yoga',
  'hono',
  'zod',
]

/** What runs jobs and sends. */
const WORKER = ['graphile-worker', 'undici']

/** What a process loads when it is first used. */
const ON_USE = [
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-trace',
  '@peculiar/x509',
  'ajv',
  'jose',
  'openid-client',
  're2js',
]

let directory: string
let database: Database
let receiver: Receiver
let posthorn: PosthornProcess
let url: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(temporaryFolder(), 'posthorn packages '))
  receiver = await startReceiver()
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  database = await createTestDatabase()
  const hook = pathToFileURL(path.join(import.meta.dirname, 'record-packages.ts'))
  posthorn = startPosthorn(['start'], {
    environment: {
      ...testEnvironment(database.url),
      NODE_OPTIONS: `--import=${hook}`,
      RECORD_PACKAGES_IN: directory,
      POSTHORN_LOG_LEVEL: 'info',
      POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
    },
  })
  url = (await logLine(posthorn, { msg: 'ready' }))['url']
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test.each([
  ['main', [...API, ...WORKER, ...ON_USE, 'prom-client'], ['commander', 'pg', 'pino']],
  ['api', [...WORKER, ...ON_USE, 'commander'], API],
  ['worker', [...API, ...ON_USE, 'commander'], WORKER],
])(
  'the thread %s loads nothing of the others, nor what may never be used',
  async (thread, not, own) => {
    const loaded = await loadedBy(thread)
    expect(loaded.filter((name) => not.includes(name))).toEqual([])
    expect(own.filter((name) => !loaded.includes(name))).toEqual([])
  },
)

test('the compiler of JSON Schema is loaded for the first event, and the worker delivers without Prisma', async () => {
  const { token } = await createTenant(database.prisma)
  const call = async (route: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + route, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return await response.json()
  }
  const webhook = { url: receiver.url, event_subscriptions: [JOINED], enabled: true }
  expect(await call('/api/connect/v1/webhooks', webhook)).toMatchObject({ enabled: true })
  expect(await loadedBy('api')).not.toContain('ajv')
  const query = `mutation { publishEvent(input: { type: "${JOINED}", data: {} }) { __typename } }`
  expect(await call('/graphql', { query })).toMatchObject({
    data: { publishEvent: { __typename: 'PublishEventSuccess' } },
  })
  await until(() => receiver.received.length > 0, 'the delivery arrives')
  expect(await loadedBy('api')).toContain('ajv')
  expect(await loadedBy('worker')).not.toContain('@prisma/client')
})

async function loadedBy(thread: string): Promise<string[]> {
  return (await readFile(path.join(directory, thread), 'utf8')).trim().split('\n')
}

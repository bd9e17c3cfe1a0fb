import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../packages/client/src/index.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { createNoteType, failureOf, NOTE, storedData } from './events.ts'
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'

const posthorn = await useTestApp({ role: 'api' })
let proxy: FaultyProxy
let client: Client

await createNoteType(posthorn.database)

beforeEach(async () => {
  proxy = await startFaultyProxy(posthorn.app.url)
  client = createClient({ url: proxy.url, token: posthorn.tenant.token })
})
afterEach(async () => await proxy[Symbol.asyncDispose]())

const temporary = (status: number): [name: string, fault: Fault] => [
  `HTTP ${status}`,
  { status, headers: { 'content-type': 'text/html' }, body: '<h1>Try again</h1>' },
]

describe('an event is published once', () => {
  test.each<[name: string, fault: Fault]>([
    ['a connection that is closed before the request arrives', 'lose-request'],
    ['a connection that is closed after the event was stored', 'lose-answer'],
    ['a connection that is closed within the answer', 'cut-answer'],
    ...[429, 502, 503, 504].map(temporary),
  ])('after %s', async (name, fault) => {
    proxy.fail(fault, fault)
    const { id, duplicate } = await client.publish(NOTE, name)
    expect(id).toMatch(/^evt_/)
    expect(duplicate).toBe(fault === 'lose-answer' || fault === 'cut-answer')
    expect(proxy.requests).toHaveLength(3)
    expect(new Set(proxy.requests.map(({ body }) => body)).size).toBe(1)
    expect(await storedData(posthorn.database, name)).toEqual([JSON.stringify(name)])
  })

  test('each of many, after answers that were lost', async () => {
    proxy.fail('lose-answer', 'lose-request', 'lose-answer')
    const events = ['many 1', 'many 2', 'many 3'].map((data) => ({ type: NOTE, data }))
    const published = await client.publishMany(events)
    expect(published.map(({ duplicate }) => duplicate)).toEqual([true, true, true])
    const stored = await storedData(posthorn.database, 'many ')
    expect(stored).toEqual(['"many 1"', '"many 2"', '"many 3"'])
  })

  test('by a caller that tries again with the key of the error', async () => {
    proxy.fail('lose-answer')
    const error = await failureOf(client.publish(NOTE, 'later', { timeoutMs: 0 }))
    expect(error).toMatchObject({ code: 'UNREACHABLE', idempotencyKeys: [expect.any(String)] })
    const [idempotencyKey] = error.idempotencyKeys
    const again = await client.publish(NOTE, 'later', { idempotencyKey })
    expect(again.duplicate).toBe(true)
    expect(await storedData(posthorn.database, 'later')).toEqual(['"later"'])
  })

  test('although its data changes meanwhile', async () => {
    proxy.fail('lose-answer')
    const data = { step: 'unchanged' }
    const published = client.publish(NOTE, data)
    await until(() => proxy.requests.length === 1, 'the first try')
    data.step = 'changed'
    await published
    expect(await storedData(posthorn.database, 'changed')).toEqual(['{"step":"unchanged"}'])
  })
})

describe('a request', () => {
  test.each(['{ viewer { __typename } }', ' query { viewer { __typename } }'])(
    'that only reads is tried again: %s',
    async (query) => {
      proxy.fail('lose-answer', { status: 503 })
      expect(await client.request(query)).toHaveProperty('viewer')
      expect(proxy.requests).toHaveLength(3)
    },
  )

  const problem = '{"type":"urn:posthorn:problem:unavailable","detail":"Wait."}'
  test.each<[fault: Fault, message: RegExp]>([
    ['lose-answer', /cannot be reached/],
    [{ status: 503, body: problem }, /^Wait\.$/],
  ])('of a mutation is sent once, as it may have acted: %j', async (fault, message) => {
    proxy.fail(fault)
    const mutation = 'mutation { deleteWebhook(id: "wh_0") { __typename } }'
    const error = await failureOf(client.request(mutation))
    expect(error.message).toMatch(message)
    expect(proxy.requests).toHaveLength(1)
  })
})

describe('no other answer is tried again', () => {
  test.each([201, 400, 401, 404, 500, 501])('HTTP %i', async (status) => {
    proxy.fail({ status, body: 'not Posthorn' })
    expect(await failureOf(client.publish(NOTE, status))).toMatchObject({ code: 'UNREACHABLE' })
    expect(proxy.requests).toHaveLength(1)
  })

  test('a redirect is not followed, so that no other server gets the key', async () => {
    proxy.fail({ status: 307, headers: { location: posthorn.app.url } })
    const error = await failureOf(client.publish(NOTE, 'redirected'))
    expect(error.message).toContain('HTTP 307')
    expect(await storedData(posthorn.database, 'redirected')).toEqual([])
  })

  test('an invalid event', async () => {
    const error = await failureOf(client.publish('no.such_type', 1))
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(proxy.requests).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  test('that is longer than the time left ends the call at once', async () => {
    proxy.fail({ status: 503, headers: { 'retry-after': '3600' } })
    expect(await failureOf(client.publish(NOTE, 'in an hour'))).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/HTTP 503.*The time is up after 1 try\./),
    })
  })
})

describe('when the time is up, the call fails', () => {
  test('with the last failure, if nothing listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const nowhere = createClient({ url, token: 'phk_a', timeoutMs: 1_000 })
    expect(await failureOf(nowhere.publish(NOTE, 1))).toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(/ECONNREFUSED.*\d tr(y|ies)\.$/),
    })
  })

  test('with the failure of the try that may have published, if nothing listens after it', async () => {
    proxy.fail('lose-answer', 'lose-answer', 'lose-answer')
    const failure = failureOf(client.publish(NOTE, 'gone', { timeoutMs: 1_000 }))
    await until(() => proxy.requests.length === 1, 'the first try')
    await proxy[Symbol.asyncDispose]()
    expect((await failure).message).toMatch(/\d tr(y|ies)\. An event may have been published/)
  })

  test('if no answer arrives', async () => {
    proxy.fail('hang')
    const error = await failureOf(client.publish(NOTE, 1, { timeoutMs: 300 }))
    const message = expect.stringContaining('No answer within 300 ms')
    expect(error).toMatchObject({ code: 'UNREACHABLE', message })
  })

  test('if the answer begins and never ends', async () => {
    proxy.fail('stall')
    const error = await failureOf(client.publish(NOTE, 1, { timeoutMs: 300 }))
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
  })
})

describe('an aborted call rejects with the reason of its signal', () => {
  test('before it begins', async () => {
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(client.publish(NOTE, 1, { signal })).rejects.toThrow('stop')
    expect(proxy.requests).toEqual([])
  })

  test.each<[when: string, fault: Fault]>([
    ['during a try', 'hang'],
    ['between two tries', { status: 503, headers: { 'retry-after': '20' } }],
  ])('%s', async (_when, fault) => {
    proxy.fail(fault)
    const controller = new AbortController()
    const published = client.publish(NOTE, 1, { signal: controller.signal })
    await until(() => proxy.requests.length === 1, 'the first try')
    controller.abort(new Error('stop'))
    await expect(published).rejects.toThrow('stop')
    expect(proxy.requests).toHaveLength(1)
  })
})

test('a restart of Posthorn delays events, and loses and repeats none', async () => {
  await using database = await createTestDatabase()
  const environment = { PORT: String(await freePort()) }
  const start = () => startTestApp({ role: 'api', database, environment })
  const first = await start()
  await createNoteType(database)
  const options = { url: first.app.url, token: first.tenant.token }
  const shop = createClient({ ...options, timeoutMs: 120_000 })
  await shop.publish(NOTE, 'restart 0')
  await first[Symbol.asyncDispose]()
  const published = Promise.all(
    [1, 2, 3].map((n) => shop.publish(NOTE, `restart ${n}`, { idempotencyKey: `restart-${n}` })),
  )
  await using _next = await start()
  await published
  expect((await storedData(database, 'restart')).toSorted()).toEqual(
    [0, 1, 2, 3].map((n) => `"restart ${n}"`),
  )
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { needs } from '../support/left-out.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { startProxy } from '../support/proxies.ts'
import { until } from '../support/until.ts'
import { forward } from './support/forward-command.ts'
import { startLocalServer } from './support/local-server.ts'
import { publish, recordedAttempts } from './support/rows.ts'

let posthorn: TestApp

beforeAll(async () => {
  posthorn = await startTestApp({ environment: { POSTHORN_ATTEMPT_TIMEOUT: '2s' } })
})
afterAll(() => posthorn[Symbol.asyncDispose]())

const options = (server = posthorn.app.url) => ({
  server,
  key: posthorn.tenant.token,
  args: ['--event', JOINED],
})

describe('behind nginx', needs('nginx'), () => {
  test('with its documented block, deliveries arrive at once', async () => {
    await using proxy = await startProxy('nginx', posthorn.app.url)
    const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-ca-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = path.join(folder, 'ca.pem')
    await writeFile(file, proxy.authority)
    await using local = await startLocalServer()
    await using command = await forward(local.url, {
      ...options(proxy.url),
      environment: { NODE_EXTRA_CA_CERTS: file },
    })
    for (const n of [1, 2]) {
      await publish(posthorn, { type: JOINED, data: { n } })
      expect(await command.printed(n)).toMatchObject({ verified: true, problem: null })
    }
  })

  test('also where nginx buffers responses, as it does by default', async () => {
    await using proxy = await startProxy('nginx', posthorn.app.url, (block) =>
      block.replace(/^\s*proxy_buffering off;.*$/m, ''),
    )
    const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-ca-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = path.join(folder, 'ca.pem')
    await writeFile(file, proxy.authority)
    await using local = await startLocalServer()
    await using command = await forward(local.url, {
      ...options(proxy.url),
      environment: { NODE_EXTRA_CA_CERTS: file },
    })
    await publish(posthorn, { type: JOINED, data: {} })
    expect(await command.printed(1)).toMatchObject({ verified: true, problem: null })
  })
})

test('any process can have the stream, and any worker makes the attempt', async () => {
  const { database } = posthorn
  await using app = await startTestApp({ role: 'api', database })
  await using local = await startLocalServer()
  await using command = await forward(local.url, options(app.app.url))
  await publish(posthorn, { type: JOINED, data: {} })
  expect(await command.printed(1)).toMatchObject({ verified: true, answered: 204, problem: null })
})

describe('when the server is killed', () => {
  test('the command connects to the next one, and everything arrives', async () => {
    const port = String(await freePort())
    await using helper = await startTestApp({ role: 'api' })
    const environment = {
      ...testEnvironment(helper.database.url),
      PORT: port,
      POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s',
    }
    const start = async () => {
      const server = startPosthorn(['start'], { environment })
      await until(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
        return response?.ok
      }, `the server is ready: ${server.stderr}`)
      return server
    }
    const first = await start()
    await using local = await startLocalServer()
    await using command = await forward(local.url, {
      server: `http://127.0.0.1:${port}`,
      key: helper.tenant.token,
      args: ['--event', JOINED],
    })
    await publish(helper, { type: JOINED, data: { n: 1 } })
    await command.printed(1)
    first.child.kill('SIGKILL')
    await first.ended
    await until(() => command.process.stderr.includes('Trying again.'), 'the command notices')
    await publish(helper, { type: JOINED, data: { n: 2 } })
    await using _second = await start()
    await until(() => command.process.stderr.includes('Connected again.'), 'it connects again')
    await publish(helper, { type: JOINED, data: { n: 3 } })
    await until(
      () =>
        new Set(local.requests.map(({ body }) => JSON.parse(body.toString()).data.n)).size === 3,
      'all three arrive',
      60_000,
    )
  })
})

test('the command ends with an error when it connects again and its webhook is gone', async () => {
  const port = await freePort()
  const { database } = posthorn
  const start = () => startTestApp({ role: 'api', database, environment: { PORT: String(port) } })
  const first = await start()
  const command = await forward('http://127.0.0.1:1/', options(first.app.url))
  await posthorn.rest('DELETE', `/webhooks/${command.webhookId}`)
  await first[Symbol.asyncDispose]()
  await using _second = await start()
  expect(await command.process.ended).toBe(1)
  expect(command.process.stderr).toContain(
    `error: There is no temporary webhook "${command.webhookId}".`,
  )
})

describe('when the command is killed', () => {
  test('the attempt ends at its time limit and is retried, and the webhook is left to expire', async () => {
    await using local = await startLocalServer()
    local.respond = () => {}
    const command = await forward(local.url, options())
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    await local.request(1)
    command.process.child.kill('SIGKILL')
    await command.process.ended
    const [first, second] = await recordedAttempts(posthorn, delivery, 2)
    expect(first).toMatchObject({ errorCode: 'response_timed_out', succeeded: false })
    expect(second).toMatchObject({ errorCode: 'forwarding_disconnected', succeeded: false })
    const { rows } = await posthorn.database.pool.query(
      `select deleted_at, forwarded_until between now() and now() + interval '5 minutes' as is_left
       from posthorn.webhooks where id = $1`,
      [parseId('webhook', command.webhookId)],
    )
    expect(rows).toEqual([{ deleted_at: null, is_left: true }])
    await posthorn.rest('DELETE', `/webhooks/${command.webhookId}`)
  })
})

test('a worker that stops leaves the request to another one', async () => {
  await using local = await startLocalServer()
  const answers: (() => void)[] = []
  local.respond = (response) => void answers.push(() => response.writeHead(204).end())
  await using helper = await startTestApp({ role: 'api' })
  const worker = await startTestApp({ role: 'worker', database: helper.database })
  await using command = await forward(local.url, {
    server: helper.app.url,
    key: helper.tenant.token,
    args: ['--event', JOINED],
  })
  await publish(helper, { type: JOINED, data: {} })
  await local.request(1)
  worker.app.abort()
  await worker[Symbol.asyncDispose]()
  for (const answer of answers) answer()
  expect(await command.printed(1)).toMatchObject({
    problem: expect.stringContaining('No attempt waits for an answer'),
  })
  await using _next = await startTestApp({ role: 'worker', database: helper.database })
  await local.request(2)
  answers.at(-1)?.()
  expect(await command.printed(2)).toMatchObject({ answered: 204, arrivals: 2, problem: null })
})

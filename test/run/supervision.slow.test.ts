import { beforeEach, expect, test } from 'vitest'
import { createWebhook, publish } from '../scheduling/support/backlog.ts'
import { testEnvironment } from '../support/app.ts'
import { startInstallation } from '../support/installation.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { callerWith } from '../support/post-graphql.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { scrape, sumOf } from '../telemetry/support/exposition.ts'
import { INSPECTABLE, runInThread } from './thread-inspector.ts'

/** One process survives all tests. The last one stops it. */
const installation = await useResource(startInstallation(INSPECTABLE))
const { receiver, posthorn, url } = installation
await createWebhook(callerWith(url, installation.tenant.token), receiver.url)

/** What the process wrote in this test. */
const log = {
  startsAt: 0,
  get stderr() {
    return posthorn.stderr.slice(log.startsAt)
  },
}

beforeEach(async () => {
  await until(async () => (await statusOf('/readyz')) === 200, 'the process is ready')
  receiver.clear()
  log.startsAt = posthorn.stderr.length
})

/** Publishes as a host application does, also while the API does not answer. */
const publishFromSql = () =>
  publish(installation.database.pool, installation.tenant.publicOrganizationId, 1)

async function statusOf(route: string): Promise<number | null> {
  const response = await fetch(url + route, { signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  )
  return response?.status ?? null
}

const OUT_OF_MEMORY = 'for (const kept = []; ; ) kept.push(new Array(1_000_000).fill(1.5))'
const ENDLESS_LOOP = 'for (;;);'
/** Keeps no processor busy. */
const ENDLESS_WAIT = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
const UNCAUGHT_ERROR = `setTimeout(() => { throw new Error('a fault for this test') })`

test.each([
  // On a busy machine the last collections take so long that the thread is ended before it reaches its limit.
  ['runs out of memory', OUT_OF_MEMORY, /memory limit|event loop stood still/],
  ['stands still', ENDLESS_LOOP, /event loop stood still for 10 s/],
  ['throws', UNCAUGHT_ERROR, /a fault for this test/],
])(
  'a thread that %s is started again, and delivers what was published meanwhile',
  async (_, code, reason) => {
    await runInThread(posthorn, 'all', code)
    const lost = logLine(log, { msg: 'the thread ended and is started again' }, 30_000)
    for (let count = 1; count <= 5; count++) await publishFromSql()
    expect(await lost).toMatchObject({ role: 'all', reason: expect.stringMatching(reason) })
    await logLine(log, { msg: 'the thread runs again' })
    await receiver.arrival(5)
    expect((await installation.call('GET', '/api/connect/v1/webhooks')).status).toBe(200)
    await until(async () => (await statusOf('/readyz')) === 200, 'the process is ready')
    expect(posthorn.child.exitCode).toBeNull()
  },
)

test('a thread that cannot start again because Postgres is unavailable starts when Postgres returns', async () => {
  installation.proxy.blackhole()
  await runInThread(posthorn, 'all', UNCAUGHT_ERROR)
  await logLine(log, { msg: 'the thread could not start' })
  installation.proxy.restore()
  await logLine(log, { msg: 'the thread runs again' })
  await until(async () => (await statusOf('/readyz')) === 200, 'the process is ready')
})

test('attempts in flight are repeated after the thread has ended, and the restart is counted', async () => {
  const isSent = Promise.withResolvers<void>()
  receiver.answer = () => isSent.resolve()
  await publishFromSql()
  await isSent.promise
  receiver.answer = (response) => response.end()
  receiver.clear()
  await runInThread(posthorn, 'all', UNCAUGHT_ERROR)
  await logLine(log, { msg: 'the thread runs again' })
  await publishFromSql()
  await receiver.arrival(1)
  await until(() => receiver.received.length === 2, 'the one in flight is repeated', 30_000)
  const restarts = logLines(posthorn).filter(({ msg }) => msg === 'the thread runs again').length
  expect(sumOf(await scrape(url), 'posthorn_thread_restarts_total')).toBe(restarts)
})

test.each(['api', 'worker'])(
  'a process with only the %s ends when it throws, so that its process manager starts it again',
  async (role) => {
    await using alone = startPosthorn(['start', '--role', role], {
      environment: {
        ...testEnvironment(installation.database.url),
        ...INSPECTABLE,
        POSTHORN_LOG_LEVEL: 'info',
      },
    })
    await logLine(alone, { msg: 'ready' })
    await runInThread(alone, 'main', UNCAUGHT_ERROR)
    // Not 78, after which deploy/systemd starts no other process.
    expect(await alone.ended).toBe(1)
    expect(alone.stderr).toContain('a fault for this test')
  },
)

test('a thread that ends during a shutdown is not started again', async () => {
  await runInThread(posthorn, 'all', ENDLESS_WAIT)
  posthorn.child.kill('SIGTERM')
  expect(await posthorn.ended).toBe(0)
  expect(logLines(log).map(({ msg }) => msg)).not.toContain('the thread runs again')
})

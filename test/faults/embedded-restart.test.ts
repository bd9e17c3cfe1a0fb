import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Postmaster, readPostmaster } from '../../src/db/embedded-postmaster.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { freePort } from './own-postgres.ts'

let dataDir: string
const cluster = () => path.join(dataDir, 'postgres')

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn restart '))
})
afterEach(async () => {
  const postmaster = await readPostmaster(cluster())
  if (postmaster?.alive) process.kill(postmaster.pid, 'SIGQUIT')
  await until(async () => !(await readPostmaster(cluster()))?.alive, 'Postgres ends')
  await rm(dataDir, { recursive: true, force: true })
})

test('the embedded Postgres that is killed runs again within 2 s, once, and two processes go on with it', async () => {
  await using api = await start('api')
  await using worker = await start('worker')
  await until(async () => (await api.isReady()) && (await worker.isReady()), 'both are ready')
  const before = (await readPostmaster(cluster())) as Postmaster
  const told = () => `${api.posthorn.stderr}${worker.posthorn.stderr}`
  for (let round = 1, pid = before.pid; round <= 3; round++) {
    process.kill(pid, 'SIGKILL')
    const killedAt = performance.now()
    await until(async () => isNew(await readPostmaster(cluster()), pid), 'another one runs')
    expect(performance.now() - killedAt).toBeLessThan(2_000)
    await until(
      async () => (await api.isReady()) && (await worker.isReady()),
      'both are ready',
    ).catch((error) => expect.fail(`${error.message}\n${told()}`))
    // Whoever was slower found it running; who started it says so once it has looked.
    await until(() => told().split('started it again').length > round, 'the restart is told of')
    pid = ((await readPostmaster(cluster())) as Postmaster).pid
    expect((await readPostmaster(cluster()))?.port).toBe(before.port)
  }
  expect([api.posthorn.child.exitCode, worker.posthorn.child.exitCode]).toEqual([null, null])
  expect(told()).not.toMatch(/cannot be started again/)
}, 60_000)

test('it is not started again once nobody uses it any more', async () => {
  const all = await start('all')
  await until(() => all.isReady(), 'it is ready')
  all.posthorn.child.kill('SIGTERM')
  expect(await all.posthorn.ended).toBe(0)
  await sleep(500)
  expect((await readPostmaster(cluster()))?.alive ?? false).toBe(false)
}, 60_000)

function isNew(postmaster: Postmaster | null, pid: number): boolean {
  return postmaster?.ready === true && postmaster.pid !== pid
}

async function start(role: string) {
  const port = await freePort()
  const posthorn = startPosthorn(['start', '--role', role], {
    environment: { PORT: String(port), POSTHORN_DATA_DIR: dataDir },
  })
  return {
    posthorn,
    async isReady() {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
      await response?.body?.cancel()
      return response?.status === 200
    },
    [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose](),
  }
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Postmaster, readPostmaster } from '../../src/db/embedded/server.ts'
import { freePort } from '../support/free-port.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

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

test('after a kill, the embedded Postgres is started once, and two processes use it again; it stops with the last one', async () => {
  await using api = await start('api')
  await using worker = await start('worker')
  await until(async () => (await api.isReady()) && (await worker.isReady()), 'both are ready')
  const first = (await readPostmaster(cluster())) as Postmaster
  const logs = () => `${api.posthorn.stderr}${worker.posthorn.stderr}`
  for (let round = 1, pid = first.pid; round <= 2; round++) {
    process.kill(pid, 'SIGKILL')
    await until(async () => isNew(await readPostmaster(cluster()), pid), 'a new Postgres runs')
    await until(
      async () => (await api.isReady()) && (await worker.isReady()),
      'both are ready',
    ).catch((error) => expect.fail(`${error.message}\n${logs()}`))
    await until(
      () => logs().split('restarted the embedded Postgres').length > round,
      'the restart is logged',
    )
    pid = ((await readPostmaster(cluster())) as Postmaster).pid
    expect((await readPostmaster(cluster()))?.port).toBe(first.port)
  }
  expect([api.posthorn.child.exitCode, worker.posthorn.child.exitCode]).toEqual([null, null])
  expect(logs()).not.toMatch(/could not be restarted/)

  const startCount = async () =>
    (await readFile(`${cluster()}.log`, 'utf8')).split(' starting PostgreSQL ').length
  const before = await startCount()
  for (const { posthorn } of [worker, api]) {
    posthorn.child.kill('SIGTERM')
    expect(await posthorn.ended).toBe(0)
  }
  await until(async () => !(await readPostmaster(cluster()))?.alive, 'Postgres has stopped')
  expect(await startCount()).toBe(before)
})

function isNew(postmaster: Postmaster | null, pid: number): boolean {
  return postmaster?.ready === true && postmaster.pid !== pid
}

async function start(role: string) {
  const port = await freePort()
  const posthorn = startPosthorn(['start', '--role', role], {
    environment: { PORT: String(port), POSTHORN_DATA_DIR: dataDir },
  })
  const request = (page: string) => fetch(`http://127.0.0.1:${port}${page}`).catch(() => null)
  return {
    posthorn,
    async isReady() {
      const response = await request('/readyz')
      await response?.body?.cancel()
      return response?.status === 200
    },
    [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose](),
  }
}

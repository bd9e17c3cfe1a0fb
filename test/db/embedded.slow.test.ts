import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../src/db/embedded/embedded-postgres.ts'
import { isDatabaseUnavailable } from '../../src/db/faults.ts'
import { processExists } from '../../src/lib/process-exists.ts'
import { until } from '../support/until.ts'

/** A data directory with the cluster of an earlier start. */
let earlier: string
let base: string
let dataDir: string

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn cluster '))
  await chmod(folder, 0o755)
  earlier = path.join(folder, 'data')
  await (await openEmbeddedPostgres(earlier))[Symbol.asyncDispose]()
})
afterAll(async () => await rm(path.dirname(earlier), { recursive: true, force: true }))

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'posthorn embedded '))
  await chmod(base, 0o755)
  dataDir = path.join(base, 'data dir')
})
afterEach(async () => {
  const postmaster = await postmasterPid().catch(() => null)
  if (postmaster !== null) await kill(postmaster, 'SIGQUIT')
  await rm(base, { recursive: true, force: true })
})

/** Starts where an earlier start left its cluster, which spares the creation of another. */
async function openEarlier(): Promise<EmbeddedPostgres> {
  await promisify(execFile)('cp', ['-a', earlier, dataDir])
  return await openEmbeddedPostgres(dataDir)
}

test('starts in a path with spaces, and keeps its data across a restart', async () => {
  {
    await using postgres = await openEmbeddedPostgres(dataDir)
    await query(postgres, 'create table kept as select 42 as answer')
  }
  await using again = await openEmbeddedPostgres(dataDir)
  expect(await query(again, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test.each<NodeJS.Signals>(['SIGKILL', 'SIGQUIT'])(
  'it is unavailable after %s, and starts again with all committed data',
  async (signal) => {
    await using postgres = await openEarlier()
    await query(postgres, 'create table kept as select 1 as n')
    await kill(await postmasterPid(), signal)
    const error = await query(postgres, 'select 1').catch((thrown) => thrown)
    expect(isDatabaseUnavailable(error), String(error)).toBe(true)
    await using again = await openEmbeddedPostgres(dataDir)
    expect(await query(again, 'select n from kept')).toEqual([{ n: 1 }])
  },
)

test('Posthorn works as a role that is no superuser', async () => {
  await using postgres = await openEarlier()
  const rights = `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more,
    pg_has_role(datdba, 'usage') as owns from pg_roles, pg_database
    where rolname = current_user and datname = current_database()`
  expect(await query(postgres, rights)).toEqual([{ more: false, owns: true }])
})

test('runs on when it is closed while another process uses it, and stops when its last user closes it', async () => {
  const postgres = await openEarlier()
  const pid = await postmasterPid()
  const client = new pg.Client({ connectionString: postgres.url, application_name: 'posthorn-x' })
  await client.connect()
  await postgres[Symbol.asyncDispose]()
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
  await (await openEmbeddedPostgres(dataDir))[Symbol.asyncDispose]()
  await until(() => !processExists(pid), 'Postgres ends')
})

test('several processes that start at the same time share one server', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => openEmbeddedPostgres(dataDir)))
  expect(new Set(all.map((postgres) => postgres.url)).size).toBe(1)
  for (const postgres of all) await postgres[Symbol.asyncDispose]()
})

describe('after kill -9', () => {
  test('of the process that started it, the next process uses the same server', async () => {
    const cwd = fileURLToPath(new URL('../..', import.meta.url))
    const script = `
      const { openEmbeddedPostgres } = await import(${JSON.stringify(MODULE)})
      const { url } = await openEmbeddedPostgres(${JSON.stringify(dataDir)})
      console.log(url)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd })
    const [output] = await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await using joined = await openEmbeddedPostgres(dataDir)
    expect(joined.url).toBe(String(output).trim())
  })

  test.each([
    ['another program has', String(process.pid)],
    ['no program has', '4194303'],
  ])('a stale lock file with a pid that %s does not prevent the start', async (_case, pid) => {
    await (await openEarlier())[Symbol.asyncDispose]()
    const lock = path.join(dataDir, 'postgres', 'postmaster.pid')
    const content = `${pid}\n${path.dirname(lock)}\n0\n54329\n\n127.0.0.1\n  1 2\nready   \n`
    await writeFile(lock, content)
    await using postgres = await openEmbeddedPostgres(dataDir)
    expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

test('uses another port if the preferred one is in use', async () => {
  const holder = createServer().listen(54_329, '127.0.0.1')
  // Another Postgres of these tests may use the port already.
  await once(holder, 'listening').catch(() => {})
  await using postgres = await openEarlier()
  expect(new URL(postgres.url).port).not.toBe('54329')
  holder.close()
})

test('a cluster whose creation was interrupted is created again', async () => {
  await mkdir(path.join(dataDir, 'postgres'), { recursive: true })
  await using postgres = await openEmbeddedPostgres(dataDir)
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
})

const MODULE = new URL('../../src/db/embedded/embedded-postgres.ts', import.meta.url).href

async function query({ url }: Pick<EmbeddedPostgres, 'url'>, statement: string) {
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn' })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function postmasterPid(): Promise<number> {
  const file = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(file.split('\n')[0])
}

/** Kills only the Postgres of this test; a lock file that a test wrote may name another process. */
async function kill(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (pid === process.pid || !processExists(pid)) return
  process.kill(pid, signal)
  await until(() => !processExists(pid), `process ${pid} ends`)
}

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase, type Sql } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { createConnections } from '../../src/db/pools.ts'
import { openSession } from '../../src/db/session.ts'
import {
  findWrongSettings,
  type Purpose,
  SESSION_SETTINGS,
  TIME_LIMITS,
} from '../../src/db/session-settings.ts'
import { openRunnerPool } from '../../src/queue/runner-pool.ts'
import { PATIENT } from '../support/database.ts'
import { createHostileDatabase } from '../support/hostile-database.ts'
import { HOSTILE_SETTINGS } from '../support/hostile-settings.ts'
import { needs } from '../support/left-out.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'

test('each setting has a hostile value in the tests', () => {
  const limits = TIME_LIMITS.requests.map(({ name }) => name)
  const names = [...SESSION_SETTINGS.map(({ name }) => name), ...limits]
  expect(names.filter((name) => HOSTILE_SETTINGS[name] === undefined)).toEqual([])
})

test('only migrations may wait and run without limit', () => {
  const unlimited = Object.entries(TIME_LIMITS).flatMap(([purpose, limits]) =>
    limits.some(({ value }) => value === '0') ? purpose : [],
  )
  expect(unlimited).toEqual(['migrations'])
})

describe('in a database with hostile settings', () => {
  let hostile: Database

  beforeAll(async () => {
    hostile = await createHostileDatabase()
  })
  afterAll(async () => await hostile[Symbol.asyncDispose]())

  test('a connection that sets nothing has the hostile values', async () => {
    const client = new pg.Client({ connectionString: hostile.url })
    await client.connect()
    const own = await valuesOf(client)
    await client.end()
    expect(SESSION_SETTINGS.filter(({ name, value }) => own.get(name) === value)).toEqual([])
  })

  const PIPELINE = ['enable_seqscan', 'plan_cache_mode']
  const RUNNER = [
    'plan_cache_mode',
    'synchronous_commit',
    ...['seqscan', 'indexscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map(
      (method) => `enable_${method}`,
    ),
  ]
  type Use = (use: (sql: Sql) => Promise<void>) => Promise<void>
  const withPool =
    (name: 'pool' | 'pipeline' | 'jobs' | 'background'): Use =>
    async (use) => {
      await using database = openDatabase(hostile.url)
      await use(database[name])
    }
  const onError = () => {}
  const withRunner: Use = async (use) => {
    const runner = openRunnerPool(hostile, 'a runner', onError)
    await use(runner.pool).finally(runner.destroy)
  }
  const withMigration: Use = async (use) => {
    const options = { maxConnections: 1, purpose: 'migrations', onError } as const
    const pool = createConnections(hostile.url).open(options)
    await use(pool).finally(() => pool.end())
  }
  const withSession: Use = async (use) => {
    const handlers = { onOpen: async () => {}, onError }
    await using session = openSession(hostile.url, { name: 'a session', ...handlers })
    await session.use(use)
  }
  test.each<[string, Purpose, string[], Use]>([
    ['the general pool', 'requests', [], withPool('pool')],
    ['the pool of publishing and recording', 'requests', PIPELINE, withPool('pipeline')],
    ['the pool of jobs', 'jobs', [], withPool('jobs')],
    ['the pool of work in the background', 'jobs', [], withPool('background')],
    ['the pool of a worker runner', 'jobs', RUNNER, withRunner],
    ['the pool of a migration', 'migrations', [], withMigration],
    ['a session', 'sessions', [], withSession],
  ])(
    'a connection of %s has the values of Posthorn and the time limits for %s',
    async (_kind, purpose, tuned, open) => {
      await open(async (sql) => {
        const values = await valuesOf(sql)
        const wrong = [...SESSION_SETTINGS, ...TIME_LIMITS[purpose]].filter(
          ({ name, value }) =>
            !tuned.includes(name) && values.has(name) && values.get(name) !== value,
        )
        expect(wrong.map(({ name }) => `${name} = ${values.get(name)}`)).toEqual([])
        expect(values.get('TimeZone')).toBe('UTC')
      })
    },
  )
})

describe('through a transaction pooler', needs('pgbouncer'), () => {
  const KEPT = { TimeZone: 'Asia/Kolkata', DateStyle: 'German, DMY' }

  test('each transaction has the time zone and the date style, and other settings are left alone', async () => {
    await using kept = await createHostileDatabase({ settings: { ...KEPT, lock_timeout: '59s' } })
    await using pooler = await startPgBouncer(kept.url, ROUND_ROBIN)
    await using through = openDatabase(kept.url, { ...PATIENT, poolerUrl: pooler.url })
    // Fills the pooler's sessions.
    await Promise.all(Array.from({ length: 8 }, () => through.pool.query('select pg_sleep(0.05)')))
    for (let time = 0; time < 12; time++) {
      expect(await findWrongSettings(through.pool)).toEqual([])
    }
    const others = new pg.Client({ connectionString: pooler.url })
    await others.connect()
    const { rows } = await others.query(
      `select current_setting('TimeZone') as zone, current_setting('lock_timeout') as timeout`,
    )
    await others.end()
    expect(rows).toEqual([{ zone: 'Asia/Kolkata', timeout: '59s' }])
    expect(await migrate(kept.pool, { pooler: through.pool })).toEqual([])
  })

  test('what no connection keeps, such as time limits, is refused with the statements that set it', async () => {
    await using hostile = await createHostileDatabase({
      settings: { ...KEPT, bytea_output: 'escape', lock_timeout: '0', statement_timeout: '1h' },
    })
    await using pooler = await startPgBouncer(hostile.url, ROUND_ROBIN)
    {
      await using through = openDatabase(hostile.url, { ...PATIENT, poolerUrl: pooler.url })
      const rejection = String(await migrate(hostile.pool, { pooler: through.pool }).catch(String))
      expect(rejection).toContain(
        'bytea_output = "escape", lock_timeout = "0", statement_timeout = "1h"',
      )
      expect(rejection).not.toContain('TimeZone')
      const statements = rejection.match(/alter role [^;]+/g) ?? []
      expect(statements).toEqual([
        expect.stringMatching(/set bytea_output = 'hex'$/),
        expect.stringMatching(/set lock_timeout = '2s'$/),
        expect.stringMatching(/set statement_timeout = '10s'$/),
      ])
      for (const statement of statements) await hostile.pool.query(statement)
    }
    await using again = await startPgBouncer(hostile.url, ROUND_ROBIN)
    await using through = openDatabase(hostile.url, { ...PATIENT, poolerUrl: again.url })
    expect(await migrate(hostile.pool, { pooler: through.pool })).toEqual([])
  })
})

const ROUND_ROBIN = { pool_mode: 'transaction', default_pool_size: 4, server_round_robin: 1 }

/** The values of the settings that the server has. */
async function valuesOf(sql: Sql): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ name: string; value: string | null }>(
    'select name, current_setting(name, true) as value from unnest($1::text[]) as setting (name)',
    [[...SESSION_SETTINGS, ...TIME_LIMITS.requests].map(({ name }) => name)],
  )
  return new Map(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
}

import { expect, test } from 'vitest'
import { openSession } from '../../src/db/session.ts'
import { proxiedUrl, startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

test('a session whose network died is replaced, although its server never closes the connection', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startTcpProxy(Number(new URL(database.url).port))
  const errors: unknown[] = []
  let opened = 0
  await using session = openSession(proxiedUrl(database.url, proxy), {
    name: 'test',
    onOpen: async () => {
      opened += 1
    },
    onError: (error) => errors.push(error),
  })
  await session.use((sql) => sql.query('select 1'))
  stall(proxy)
  const failure = new Error('The work failed.')
  await expect(session.use(() => Promise.reject(failure))).rejects.toBe(failure)
  await until(() => opened === 2, 'the session opens a second connection')
  const { rows } = await session.use((sql) => sql.query('select 2 as answer'))
  expect(rows).toEqual([{ answer: 2 }])
  expect(errors).toEqual([])
})

test('a session reports an outage once its connection cannot be replaced, and not that a connection broke', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startTcpProxy(Number(new URL(database.url).port))
  const errors: unknown[] = []
  await using session = openSession(proxiedUrl(database.url, proxy), {
    name: 'test',
    onOpen: async () => {},
    onError: (error) => errors.push(error),
  })
  const backend = 'select pg_backend_pid() as pid'
  const { rows } = await session.use((sql) => sql.query(backend))
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.['pid']])
  await until(
    async () =>
      await session
        .use((sql) => sql.query(backend))
        .then(
          (now) => now.rows[0]?.['pid'] !== rows[0]?.['pid'],
          () => false,
        ),
    'the session has another connection',
  )
  expect(errors).toEqual([])
  proxy.blackhole()
  await expect(session.use((sql) => sql.query('select 1'))).rejects.toMatchObject({
    code: 'ETIMEDOUT',
  })
  await until(() => errors.length > 0, 'the session reports')
  expect(errors).toMatchObject([{ code: 'ETIMEDOUT' }])
  proxy.restore()
})

test('a session closes while its network is dead', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startTcpProxy(Number(new URL(database.url).port))
  const session = openSession(proxiedUrl(database.url, proxy), {
    name: 'test',
    onOpen: async () => {},
    onError: () => {},
  })
  await session.use((sql) => sql.query('select 1'))
  stall(proxy)
  await session[Symbol.asyncDispose]()
  await expect(session.use((sql) => sql.query('select 1'))).rejects.toThrow()
})

/** Nothing passes the open connections any more, not even their end. */
function stall({ connections }: TcpProxy): void {
  for (const connection of connections) connection.pause()
}

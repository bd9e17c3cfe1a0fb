import { expect, test } from 'vitest'
import { openSession } from '../../src/db/session.ts'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

test('a session whose network died is replaced, reports only an outage, and closes while the network is dead', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startTcpProxy(database.url)
  /** Nothing passes the open connections any more, not even their end. */
  const stall = () => {
    for (const connection of proxy.connections) connection.pause()
  }
  const errors: unknown[] = []
  let opened = 0
  const session = openSession(proxy.url, {
    name: 'test',
    onOpen: async () => {
      opened += 1
    },
    onError: (error) => errors.push(error),
  })
  const ask = () => session.use((sql) => sql.query('select 1'))
  await ask()
  stall()
  const failure = new Error('The work failed.')
  await expect(session.use(() => Promise.reject(failure))).rejects.toBe(failure)
  await until(() => opened === 2, 'the session opens a second connection')
  await ask()
  expect(errors).toEqual([])
  proxy.blackhole()
  await expect(ask()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await until(() => errors.length > 0, 'the session reports')
  expect(errors).toMatchObject([{ code: 'ETIMEDOUT' }])
  proxy.restore()
  await until(() => opened === 3, 'the session opens a third connection')
  stall()
  await session[Symbol.asyncDispose]()
  await expect(ask()).rejects.toThrow()
})

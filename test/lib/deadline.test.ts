import { expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { openSession } from '../../src/db/session.ts'
import { startDeadline } from '../../src/lib/deadline.ts'
import { until } from '../support/until.ts'

/** As a thread stands still that computes, or whose machine gives it no processor. */
function standStill(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}

test('a deadline passes in the end, although the thread always stands still', async () => {
  let hasPassed = false
  startDeadline(20, () => {
    hasPassed = true
  })
  await until(() => {
    standStill(50)
    return hasPassed
  }, 'the deadline passes')
})

test('a thread that stands still while it connects to Postgres does not take Postgres for unreachable', async () => {
  const database = openDatabase(inject('postgresUrl'))
  onTestFinished(() => database[Symbol.asyncDispose]())
  const errors: unknown[] = []
  const session = openSession(inject('postgresUrl'), {
    name: 'test',
    onOpen: async () => {},
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => session[Symbol.asyncDispose]())
  const outcomes = Promise.allSettled([
    database.pool.query('select 1'),
    database.prisma.$queryRaw`select 1`,
    session.use((sql) => sql.query('select 1')),
  ])
  await new Promise(setImmediate)
  standStill(3_000)
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
  expect(errors).toEqual([])
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { startWorker } from '../../src/queue/runner.ts'
import type { Tasks } from '../../src/queue/task-runs.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { addDeliveries, jobs, runnerIds } from './support/deliveries.ts'
import { createTasks } from './support/tasks.ts'

let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

function start(tasks: Partial<Tasks>) {
  return startWorker(database, createTasks(tasks), {
    concurrency: 5,
    workerSchema: 'graphile_worker',
    logger: createLogger('silent'),
    onStopping() {},
  })
}

test('a job runs once, and is gone when it is done', async () => {
  const delivered: string[] = []
  await using _worker = await start({
    async deliver({ deliveryId }) {
      delivered.push(deliveryId)
    },
  })
  const ids = await addDeliveries(database, 20)
  await until(async () => (await jobs(database)).length === 0, 'all are done')
  expect(delivered.toSorted()).toEqual(ids.toSorted())
})

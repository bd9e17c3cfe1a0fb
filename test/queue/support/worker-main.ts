import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../src/db/client.ts'
import { parseId } from '../../../src/db/ids.ts'
import { startTestWorker } from './tasks.ts'

/** The state of a delivery in a worker process: its task started, lost its claim, or recorded its only attempt. */
export interface Report {
  readonly state: 'started' | 'claim lost' | 'recorded'
  readonly deliveryId: string
}

/** How long a task works. Without it, until the parent sends its first message. */
const workMs = process.env['WORK_MS']
const finishing = Promise.withResolvers<void>()
process.once('message', () => finishing.resolve())
await using database = openDatabase(process.env['DATABASE_URL'] as string)
const stopping = Promise.withResolvers<void>()
process.once('SIGTERM', () => stopping.resolve())
process.once('disconnect', () => process.exit(1))

await using _worker = await startTestWorker(
  database,
  {
    async deliver({ deliveryId }, { ensureClaimed }) {
      report('started', deliveryId)
      await (workMs === undefined ? finishing.promise : sleep(Number(workMs)))
      try {
        await ensureClaimed()
      } catch (error) {
        report('claim lost', deliveryId)
        throw error
      }
      const { rowCount } = await database.pool.query(
        `update posthorn.deliveries
         set state = 'succeeded', attempt_count = attempt_count + 1, next_attempt_at = null, finished_at = now()
         where id = $1 and state = 'pending'`,
        [parseId('delivery', deliveryId)],
      )
      if (rowCount === 1) report('recorded', deliveryId)
    },
  },
  { concurrency: 10, logLevel: 'info' },
)
await stopping.promise

function report(state: Report['state'], deliveryId: string): void {
  process.send?.({ state, deliveryId } satisfies Report)
}

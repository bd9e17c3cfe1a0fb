import type { Bench } from './bench.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { startScript } from './script-process.ts'
import { CONCURRENCY } from './sizes.ts'

/** B: how fast graphile-worker runs jobs that do nothing, with the options of Posthorn's worker. */
export async function reportNoOpJobs(bench: Bench): Promise<void> {
  const { count, warmUp } = bench.sizes
  await using database = await bench.server.createDatabase()
  {
    await using filling = openBenchDatabase(database.url, { maxConnections: 1 })
    await filling.pool.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select row('no_op', json_build_object('deliveryId', 'msg_' || i), null, null, null, 'msg_' || i, null, null)
           ::graphile_worker.job_spec
         from generate_series(1, $1::int) as i))`,
      [warmUp + count],
    )
  }
  await database.settle()
  await using worker = startScript('no-op-jobs-main.ts')
  const value = await worker.call<number>('drain', {
    databaseUrl: database.url,
    count,
    warmUp,
    concurrency: CONCURRENCY,
  })
  bench.report({ scenario: 'B', name: 'graphile-worker no-op jobs', value, unit: '/s' })
}

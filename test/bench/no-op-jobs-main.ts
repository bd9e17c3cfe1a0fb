import { Logger, run } from 'graphile-worker'
import { openBenchDatabase } from './open-bench-database.ts'
import { serveParent } from './script-process.ts'

interface Load {
  readonly databaseUrl: string
  readonly count: number
  readonly warmUp: number
  readonly concurrency: number
}

serveParent({
  async drain({ databaseUrl, count, warmUp, concurrency }: Load) {
    await using database = openBenchDatabase(databaseUrl)
    const drained = Promise.withResolvers<number>()
    let ran = 0
    let startedAt = 0
    const runner = await run({
      pgPool: database.pool,
      logger: new Logger(() => () => {}),
      noHandleSignals: true,
      taskList: {
        async no_op() {
          ran += 1
          if (ran === warmUp) startedAt = performance.now()
          if (ran === warmUp + count) drained.resolve(performance.now())
        },
      },
      // The same options as in src/queue/runner.ts.
      preset: {
        worker: {
          concurrentJobs: concurrency,
          localQueue: { size: concurrency * 4 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          pollInterval: 500,
        },
      },
    })
    const seconds = ((await drained.promise) - startedAt) / 1_000
    await runner.stop()
    return count / seconds
  },
})

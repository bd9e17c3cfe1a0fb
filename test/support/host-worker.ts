import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Database } from '../../src/db/client.ts'
import { collectOutput } from './collect-output.ts'
import { until } from './until.ts'

const MAIN = fileURLToPath(new URL('host-worker-main.ts', import.meta.url))

/**
 * Starts a process with the graphile-worker of a host application, of one of the versions in `package.json`, which runs the
 * task `hello`. It installs graphile-worker's schema if needed.
 */
export async function startHostWorker(
  database: Database,
  packageName: 'graphile-worker' | 'graphile-worker-0.16',
  schema: string,
) {
  const child = spawn(process.execPath, [MAIN, packageName, schema, database.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let jobs = 0
  const worker = {
    /** The exit code. graphile-worker exits with 57 after a breaking migration by another process. */
    ended,
    /** Adds a job and waits until this worker has run it. */
    async runsJobs() {
      const job = ++jobs
      await database.pool.query(
        `select ${pg.escapeIdentifier(schema)}.add_job('hello', json_build_object('job', $1::int))`,
        [job],
      )
      const hasRun = () => output.stdout.includes(`{"job":${job}}`)
      await until(hasRun, `the host's worker runs job ${job}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
  await until(() => output.stdout.includes('Worker connected'), "the host's worker runs")
  await worker.runsJobs()
  return worker
}

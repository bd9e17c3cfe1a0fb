import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { collectOutput } from '../../support/collect-output.ts'
import type { Report } from './worker-main.ts'

export type WorkerProcess = ReturnType<typeof startWorkerProcess>

const MAIN = fileURLToPath(new URL('worker-main.ts', import.meta.url))

/** A process that runs a worker. Each task works for a time, or until `finish`. Disposal kills it. */
export function startWorkerProcess(databaseUrl: string, workMs?: number) {
  const child = fork(MAIN, {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      ...(workMs !== undefined && { WORK_MS: String(workMs) }),
    },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const reports: Report[] = []
  const output = collectOutput(child)
  child.on('message', (report) => reports.push(report as Report))
  return {
    process: child,
    reports,
    /** Its stdout and stderr. */
    output: () => output.stdout + output.stderr,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Ends the work of tasks that have no time of their own, and of later ones. A stopped process learns it when it resumes. */
    finish: () => void child.send('finish'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

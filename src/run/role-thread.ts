import { parentPort, workerData } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Settings } from '../config/settings.ts'
import { explainFailure } from '../db/explain-failure.ts'
import type { Checks } from '../server/operator-routes.ts'
import { isMemoryShort } from '../telemetry/memory.ts'
import type { MetricsSnapshot } from '../telemetry/metrics.ts'
import { type App, startApp } from './app.ts'
import type { HostEvent, HostPublished } from './publish-for-host.ts'

/* The program of a thread that the main thread supervises, and the messages between both. */

/** What a thread of the process runs. With little memory, one thread runs both. */
export type ThreadRole = 'api' | 'worker' | 'all'

/** The functions of a thread, for the main thread. */
export interface RoleThread {
  /** Starts the role, after this many restarts. */
  start(settings: Settings, restarts: number): Promise<Started>
  /** See `Running`. */
  publish(event: HostEvent): Promise<HostPublished>
  /** Answers as soon as the event loop of the thread turns. */
  ping(): void
  /** Whether the thread claims jobs, and has the memory for them. */
  workerChecks(): Checks
  metrics(): Promise<MetricsSnapshot>
  /** Finishes what is in flight; then the thread ends. */
  stop(): void
  /** Makes `stop` abort the attempts in flight and unclaim their jobs. */
  abort(): void
}

export type Started = Pick<App, 'url' | 'provisioned'>

/** What a thread knows from its beginning. */
export interface ThreadPart {
  readonly role: ThreadRole
  /** Whether the thread serves the address of the process. */
  readonly listens: boolean
}

/** The functions of the thread that started another, for that one. */
export interface MainThread {
  /** What `/readyz` reports about the rest of the process. */
  readiness(): Promise<Checks>
  /** The metrics of the other threads. A thread that does not answer is left out. */
  otherMetrics(): Promise<readonly MetricsSnapshot[]>
}

if (parentPort === null) throw new Error('This file runs in a worker thread.')
const port = parentPort

const part = workerData as ThreadPart
let app: App | null = null

const main: BirpcReturn<MainThread, RoleThread> = createBirpc<MainThread, RoleThread>(
  {
    async start(settings, restarts) {
      try {
        app = await startApp(settings, {
          ...part,
          restarts,
          rest: { readiness: () => main.readiness(), metrics: () => main.otherMetrics() },
        })
        return { url: app.url, provisioned: app.provisioned }
      } catch (error) {
        // Only the message of an error arrives in the main thread.
        throw new Error(explainFailure(error, settings.config.database === 'embedded'))
      }
    },

    publish: (event) => started().publish(event),

    ping() {},

    workerChecks() {
      const worker = started().workerRuns ? 'ok' : 'unavailable'
      return { worker, workerMemory: isMemoryShort() ? 'short' : 'ok' }
    },

    metrics: () => started().common.metrics.snapshot(),

    async stop() {
      try {
        await app?.[Symbol.asyncDispose]()
      } finally {
        // A thread that stayed would keep the process. graphile-worker may leave timers after a lost connection.
        process.exit()
      }
    },

    abort: () => app?.abort(),
  },
  {
    post: (message) => port.postMessage(message),
    on: (receive) => port.on('message', receive),
    // Supervision ends a thread that does not answer.
    timeout: -1,
  },
)

function started(): App {
  if (app === null) throw new Error('The thread has not started.')
  return app
}

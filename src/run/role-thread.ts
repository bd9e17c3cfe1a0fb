import { parentPort, workerData } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Settings } from '../config/settings.ts'
import { explainFailure } from '../db/explain-failure.ts'
import { type App, startApp } from './app.ts'
import type { MainThread, RoleThread, ThreadPart } from './messages.ts'

/* The program of a thread that the main thread supervises. */
if (parentPort === null) throw new Error('This file runs in a worker thread.')
const port = parentPort

const part = workerData as ThreadPart
let app: App | null = null

const main: BirpcReturn<MainThread, RoleThread> = createBirpc<MainThread, RoleThread>(
  {
    async start(settings, restarts) {
      try {
        app = await startApp(withBuffers(settings), {
          ...part,
          restarts,
          rest: { readiness: () => main.readiness(), metrics: () => main.otherMetrics() },
        })
        return app.url
      } catch (error) {
        // Only the message of an error arrives in the main thread.
        throw new Error(explainFailure(error, settings.config.database === 'embedded'))
      }
    },

    provision: (dataDir) => started().provision(dataDir),

    publish: (event) => started().publish(event),

    ping() {},

    workerChecks() {
      return { worker: started().workerRuns ? 'ok' : 'unavailable' }
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

/** A message carries a Buffer as a Uint8Array. */
function withBuffers(settings: Settings): Settings {
  const encryptionKeys = settings.secrets.encryptionKeys.map((key) => Buffer.from(key))
  return { ...settings, secrets: { ...settings.secrets, encryptionKeys } }
}

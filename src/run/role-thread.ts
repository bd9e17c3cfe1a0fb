import { parentPort } from 'node:worker_threads'
import { createBirpc } from 'birpc'
import type { Settings } from '../config/settings.ts'
import { explainFailure } from '../db/explain-failure.ts'
import type { App } from './app.ts'
import type { MainThread, RoleThread } from './messages.ts'

/*
 * The program of a thread that the main thread supervises. It begins to answer before it loads the modules of its role,
 * which takes seconds on a busy machine.
 */
if (parentPort === null) throw new Error('This file runs in a worker thread.')
const port = parentPort

let app: App | null = null

const main = createBirpc<MainThread, RoleThread>(
  {
    async start(settings, { role, listens, restarts }) {
      try {
        const { startApp } = await import('./app.ts')
        app = await startApp(withBuffers(settings), {
          role,
          listens,
          restarts,
          outageLines: {
            begins: (cause, error) => main.outageBegins.asEvent(cause, error),
            ends: (cause) => main.outageEnds.asEvent(cause),
          },
          rest: { readiness: () => main.readiness(), metrics: () => main.otherMetrics() },
        })
        return app.url
      } catch (error) {
        // Only the message of an error arrives in the main thread.
        throw new Error(explainFailure(error))
      }
    },

    async provision(dataDir) {
      const embedded = await import('../embedded/provision.ts')
      return await embedded.provision(started().services, dataDir)
    },

    ping() {},

    workerRuns: () => started().workerRuns,

    metrics: () => started().services.metrics.snapshot(),

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

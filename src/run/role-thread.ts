import { parentPort } from 'node:worker_threads'
import { createBirpc } from 'birpc'
import type { Role, Settings } from '../config/settings.ts'
import { explainFailure } from '../db/explain-failure.ts'
import type { PublishedEvent } from '../events/publish-events.ts'
import { type App, startApp } from './app.ts'
import type { HostEvent } from './publish-for-host.ts'

/* The program of the thread that the main thread supervises, and the messages between both. */

/** The functions of the thread, for the main thread. */
export interface RoleThread {
  start(settings: Settings, role: Role, restarts: number): Promise<Started>
  /** See `Running`. */
  publish(event: HostEvent): Promise<PublishedEvent>
  /** Answers as soon as the event loop of the thread turns. */
  ping(): void
  /** Finishes what is in flight; then the thread ends. */
  stop(): void
  /** Makes `stop` abort the attempts in flight and unclaim their jobs. */
  abort(): void
}

export type Started = Pick<App, 'url' | 'provisioned'>

if (parentPort === null) throw new Error('This file runs in a worker thread.')
const port = parentPort

let app: App | null = null

const functions: RoleThread = {
  async start(settings, role, restarts) {
    try {
      app = await startApp(settings, role, restarts)
      return { url: app.url, provisioned: app.provisioned }
    } catch (error) {
      // Only the message of an error arrives in the main thread.
      throw new Error(explainFailure(error, settings.config.database === 'embedded'))
    }
  },

  async publish(event) {
    if (app === null) throw new Error('The thread has not started.')
    return await app.publish(event)
  },

  ping() {},

  async stop() {
    try {
      await app?.[Symbol.asyncDispose]()
    } finally {
      // A thread that stayed would keep the process. graphile-worker may leave timers after a lost connection.
      process.exit()
    }
  },

  abort: () => app?.abort(),
}

createBirpc<object, RoleThread>(functions, {
  post: (message) => port.postMessage(message),
  on: (receive) => port.on('message', receive),
  // Supervision ends a thread that does not answer.
  timeout: -1,
})

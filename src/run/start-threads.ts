import { setTimeout as sleep } from 'node:timers/promises'
import type { Role, Settings } from '../config/settings.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import { type Supervised, supervise } from '../lib/supervise.ts'
import type { Checks } from '../server/operator-routes.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Running } from './app.ts'
import { type LaunchedThread, launchThread } from './launch-thread.ts'
import type { MainThread, ThreadRole } from './role-thread.ts'

/** The pause before another start of a thread that could not start. */
const RETRY_AFTER_MS = 1_000

/**
 * Runs the API and the worker on a thread each, so that neither waits for the other's work. A thread that ends takes only
 * its own role along, until the next one runs. With little memory, both share a thread, and its heap. Rejects if the first
 * start of a thread fails.
 */
export async function startThreads(
  role: Role,
  settings: Settings,
  logger: Logger,
): Promise<Running> {
  const roles: readonly ThreadRole[] =
    role === 'all' && !hasLittleMemory() ? ['api', 'worker'] : [role]
  const [listening] = roles as [ThreadRole]
  const threads = new Map<ThreadRole, Supervised<LaunchedThread>>()
  let { port } = settings.config
  let url = ''

  async function start(self: ThreadRole): Promise<void> {
    const thread = await supervise({
      async start(restarts) {
        const launched = await launchThread(
          { role: self, listens: self === listening },
          { ...settings, config: { ...settings.config, port } },
          restarts,
          mainThread(self),
        )
        if (self === listening) url = launched.url
        return launched
      },
      onFailed({ reason }) {
        logger.error({ thread: self, reason }, 'a thread ended and is started again')
      },
      onStartFailed(error) {
        const reason = (error as Error).message
        logger.error({ thread: self, reason }, 'the thread could not start')
      },
      onRestarted: () => logger.info({ thread: self }, 'the thread runs again'),
      retryAfterMs: RETRY_AFTER_MS,
    })
    threads.set(self, thread)
  }

  function mainThread(self: ThreadRole): MainThread {
    return {
      readiness: async () =>
        self !== 'worker' && roles.includes('worker')
          ? await ask('worker', (thread) => thread.workerChecks(), NO_WORKER)
          : {},
      async otherMetrics() {
        const others = roles.filter((other) => other !== self)
        const snapshots = others.map((other) => ask(other, (thread) => thread.metrics(), null))
        return (await Promise.all(snapshots)).filter((snapshot) => snapshot !== null)
      },
    }
  }

  /** The answer of a thread, or `otherwise` if it does not answer in time, as while it is started again. */
  async function ask<Answer, Otherwise>(
    asked: ThreadRole,
    question: (thread: LaunchedThread['remote']) => Promise<Answer>,
    otherwise: Otherwise,
  ): Promise<Answer | Otherwise> {
    const thread = threads.get(asked)?.current
    if (!thread) return otherwise
    const timeout = sleep(ANSWER_TIMEOUT_MS, otherwise, { ref: false })
    return await Promise.race([question(thread.remote).catch(() => otherwise), timeout])
  }

  function listeningThread(): LaunchedThread['remote'] {
    const thread = threads.get(listening)?.current
    if (!thread) throw new Error(`The thread ${listening} has just ended. Try again.`)
    return thread.remote
  }

  async function stop(): Promise<void> {
    await Promise.all([...threads.values()].map((thread) => thread[Symbol.asyncDispose]()))
  }

  const starts = await Promise.allSettled(roles.map(start))
  const failure = starts.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }
  port = Number(new URL(url).port)
  return {
    url,
    provision: (dataDir) => listeningThread().provision(dataDir),
    publish: (event) => listeningThread().publish(event),
    abort() {
      for (const thread of threads.values()) thread.current?.remote.abort.asEvent().catch(() => {})
    },
    [Symbol.asyncDispose]: stop,
  }
}

const NO_WORKER: Checks = { worker: 'unavailable' }

/** How long `/readyz` and `/metrics` wait for a thread that may be stuck. */
const ANSWER_TIMEOUT_MS = 1_000

import module from 'node:module'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Role, Settings } from '../config/settings.ts'
import { ExplainedError } from '../db/explain-failure.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import { type Failure, type Part, type Supervised, supervise } from '../lib/supervise.ts'
import type { Checks } from '../server/operator-routes.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Running } from './app.ts'
import type { MainThread, RoleThread, Started, ThreadPart, ThreadRole } from './role-thread.ts'

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
  const threads = new Map<ThreadRole, Supervised<Thread>>()
  let { port } = settings.config

  async function start(self: ThreadRole): Promise<void> {
    const thread = await supervise({
      start: (restarts) =>
        startThread(
          { role: self, listens: self === listening },
          { ...settings, config: { ...settings.config, port } },
          restarts,
          mainThread(self),
        ),
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
    question: (thread: Thread['remote']) => Promise<Answer>,
    otherwise: Otherwise,
  ): Promise<Answer | Otherwise> {
    const thread = threads.get(asked)?.current
    if (!thread) return otherwise
    const timeout = sleep(ANSWER_TIMEOUT_MS, otherwise, { ref: false })
    return await Promise.race([question(thread.remote).catch(() => otherwise), timeout])
  }

  function listeningThread(): Thread {
    const thread = threads.get(listening)?.current
    if (!thread) throw new Error(`The thread ${listening} has just ended. Try again.`)
    return thread
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
  const { url, provisioned } = listeningThread().started
  port = Number(new URL(url).port)
  return {
    ...{ url, provisioned },
    publish: (event) => listeningThread().remote.publish(event),
    abort() {
      for (const thread of threads.values()) thread.current?.remote.abort.asEvent().catch(() => {})
    },
    [Symbol.asyncDispose]: stop,
  }
}

const NO_WORKER: Checks = { worker: 'unavailable' }

/** How long `/readyz` and `/metrics` wait for a thread that may be stuck. */
const ANSWER_TIMEOUT_MS = 1_000

/** A thread that runs its role. It fails by ending. */
interface Thread extends Part {
  /** The functions of the thread. Pending calls reject when the thread ends. */
  readonly remote: BirpcReturn<RoleThread, MainThread>
  readonly started: Started
}

/** The sources, or the compiled files of the installed package: Node strips no types below `node_modules`. */
const PROGRAM = new URL(`role-thread${path.extname(import.meta.url)}`, import.meta.url)

const PING_INTERVAL_MS = 1_000

/** A thread whose event loop does not turn for this many pings is ended. */
const MAX_UNANSWERED = 10

/** A thread that starts loads its modules in one go: on half a processor, that takes seconds. */
const MAX_UNANSWERED_AT_START = 60

/** Starts a thread with its role, after `restarts` restarts. Rejects with the reason if that fails or the thread ends. */
async function startThread(
  part: ThreadPart,
  { config, secrets, trustedAuthorities = [] }: Settings,
  restarts: number,
  main: MainThread,
): Promise<Thread> {
  const cache = module.getCompileCacheDir()
  const worker = new Worker(PROGRAM, {
    name: part.role,
    workerData: part,
    resourceLimits: resourceLimits(config.maxHeapMb),
    // A thread has the cache from its first file on: without it, each thread keeps the compiler of TypeScript in memory.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
  })
  let reason = ''
  const terminate = (why: string) => {
    reason ||= why
    return worker.terminate()
  }
  const remote = createBirpc<RoleThread, MainThread>(main, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    timeout: -1,
  })
  // Counts pings instead of reading the clock, so that a pause of the whole process is not taken for a silent thread.
  let [unanswered, allowed] = [0, MAX_UNANSWERED_AT_START]
  const pings = setInterval(() => {
    if (unanswered >= allowed) {
      const seconds = (unanswered * PING_INTERVAL_MS) / 1_000
      void terminate(`its event loop stood still for ${seconds} s`)
    }
    unanswered++
    if (unanswered > 1) return
    remote.ping().then(
      () => {
        unanswered = 0
      },
      () => {},
    )
  }, PING_INTERVAL_MS)
  const ended = new Promise<Failure>((resolve) => {
    worker.on('error', (error: Error) => {
      reason = error.message
    })
    worker.once('exit', (code) => {
      clearInterval(pings)
      reason ||= `it exited with code ${code}`
      remote.$close(new Error(`The thread ${part.role} ended: ${reason}`))
      resolve({ reason })
    })
  })
  try {
    // Without the clock of a test, which is a function.
    const settings = { config, secrets, trustedAuthorities }
    const started = await remote.start(settings, restarts).catch((error: Error) => {
      throw new ExplainedError(error.message)
    })
    allowed = MAX_UNANSWERED
    return {
      ...{ remote, started, failed: ended },
      async drain() {
        // Rejects if the thread has ended.
        remote.stop.asEvent().catch(() => {})
        await ended
      },
    }
  } catch (error) {
    await terminate('its start failed')
    throw error
  }
}

/** A larger young generation saves processor time, and leaves more memory behind: docs/reference/performance.md. */
const SHARE_OF_YOUNG_GENERATION = hasLittleMemory() ? 1 / 12 : 1 / 4

/** A larger one saves nothing more. */
const MAX_YOUNG_GENERATION_MB = 192

function resourceLimits(maxHeapMb: number): ResourceLimits {
  return {
    maxOldGenerationSizeMb: maxHeapMb,
    maxYoungGenerationSizeMb: Math.min(
      maxHeapMb * SHARE_OF_YOUNG_GENERATION,
      MAX_YOUNG_GENERATION_MB,
    ),
  }
}

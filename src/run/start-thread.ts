import module from 'node:module'
import path from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Role, Settings } from '../config/settings.ts'
import { ExplainedError } from '../db/explain-failure.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import { type Failure, type Part, supervise } from '../lib/supervise.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Running } from './app.ts'
import type { RoleThread, Started } from './role-thread.ts'

/** The pause before another start of a thread that could not start. */
const RETRY_AFTER_MS = 1_000

/**
 * Runs the role on a thread, which has a heap of its own. A thread that ends is started again. Rejects if the first start
 * fails.
 */
export async function startThread(
  role: Role,
  settings: Settings,
  logger: Logger,
): Promise<Running> {
  let { port } = settings.config
  const thread = await supervise({
    start: (restarts) =>
      launch({ ...settings, config: { ...settings.config, port } }, role, restarts),
    onFailed: ({ reason }) =>
      logger.error({ role, reason }, 'the thread ended and is started again'),
    onStartFailed: (error) =>
      logger.error({ role, reason: (error as Error).message }, 'the thread could not start'),
    onRestarted: () => logger.info({ role }, 'the thread runs again'),
    retryAfterMs: RETRY_AFTER_MS,
  })

  function running(): Thread {
    if (thread.current) return thread.current
    throw new Error('The thread of Posthorn has just ended. Try again.')
  }

  const { url, provisioned } = running().started
  port = Number(new URL(url).port)
  return {
    ...{ url, provisioned },
    publish: async (event) => await running().remote.publish(event),
    abort: () => void thread.current?.remote.abort.asEvent().catch(() => {}),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

/** A thread that runs a role. It fails by ending. */
interface Thread extends Part {
  /** The functions of the thread. Pending calls reject when the thread ends. */
  readonly remote: BirpcReturn<RoleThread>
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
async function launch(
  { config, secrets, trustedAuthorities = [] }: Settings,
  role: Role,
  restarts: number,
): Promise<Thread> {
  const cache = module.getCompileCacheDir()
  const worker = new Worker(PROGRAM, {
    name: role,
    resourceLimits: resourceLimits(config.maxHeapMb),
    // A thread has the cache from its first file on: without it, each thread keeps the compiler of TypeScript in memory.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
  })
  let reason = ''
  const terminate = (why: string) => {
    reason ||= why
    return worker.terminate()
  }
  const remote = createBirpc<RoleThread>(
    {},
    {
      post: (message) => worker.postMessage(message),
      on: (receive) => worker.on('message', receive),
      timeout: -1,
    },
  )
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
      remote.$close(new Error(`The thread of Posthorn ended: ${reason}`))
      resolve({ reason })
    })
  })
  try {
    // Without the clock of a test, which is a function.
    const settings = { config, secrets, trustedAuthorities }
    const started = await remote.start(settings, role, restarts).catch((error: Error) => {
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

/** A larger young generation saves processor time, and leaves more memory behind: docs/operate/sizing.md. */
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

import module from 'node:module'
import path from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Settings } from '../config/settings.ts'
import { ExplainedError } from '../db/explain-failure.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import type { Failure, Part } from '../lib/supervise.ts'
import type { MainThread, RoleThread, ThreadPart } from './role-thread.ts'

/** A thread that runs its role. It fails by ending. */
export interface LaunchedThread extends Part {
  /** The functions of the thread. Pending calls reject when the thread ends. */
  readonly remote: BirpcReturn<RoleThread, MainThread>
  /** The URL of its server. Empty without one. */
  readonly url: string
}

/** The sources, or the compiled files of the installed package: Node strips no types below `node_modules`. */
const PROGRAM = new URL(`role-thread${path.extname(import.meta.url)}`, import.meta.url)

const PING_INTERVAL_MS = 1_000

/** A thread whose event loop does not turn for this long is ended. */
const SILENT_AFTER_MS = 10_000

/** A thread that starts loads its modules in one go: on half a processor, that takes seconds. */
const SILENT_AT_START_AFTER_MS = 60_000

/** Starts a thread with its role, after `restarts` restarts. Rejects with the reason if that fails or the thread ends. */
export async function launchThread(
  part: ThreadPart,
  settings: Settings,
  restarts: number,
  main: MainThread,
): Promise<LaunchedThread> {
  const cache = module.getCompileCacheDir()
  const worker = new Worker(PROGRAM, {
    name: part.role,
    workerData: part,
    resourceLimits: resourceLimits(settings.config.maxHeapMb),
    // A thread has the cache from its first file on: without it, each thread keeps the compiler of TypeScript in memory.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
  })
  let reason = ''
  const terminate = (why: string) => {
    reason ||= why
    return worker.terminate()
  }
  const ended = new Promise<Failure>((resolve) => {
    worker.on('error', (error: Error) => {
      reason = error.message
    })
    worker.once('exit', (code) => resolve({ reason: reason || `it exited with code ${code}` }))
  })
  const remote = createBirpc<RoleThread, MainThread>(main, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    timeout: -1,
  })
  const supervision = superviseAnswers(
    () => remote.ping(),
    (silentMs) => void terminate(`its event loop stood still for ${silentMs / 1_000} s`),
  )
  ended.then((failure) => {
    supervision.stop()
    remote.$close(new Error(`The thread ${part.role} ended: ${failure.reason}`))
  })
  try {
    const url = await remote.start(cloneable(settings), restarts).catch((error: Error) => {
      throw new ExplainedError(error.message)
    })
    supervision.allow(SILENT_AFTER_MS)
    return {
      remote,
      url,
      failed: ended,
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

/** Without the clock of a test, which is a function. */
function cloneable({ config, secrets, trustedAuthorities = [] }: Settings) {
  return { config, secrets, trustedAuthorities }
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

/** Calls `ping` once a second, and `onSilent` when no call has been answered for too long. */
function superviseAnswers(ping: () => Promise<void>, onSilent: (silentMs: number) => void) {
  let allowedMs = SILENT_AT_START_AFTER_MS
  // Counts pings instead of reading the clock, so that a pause of the whole process is not taken for a silent thread.
  let unanswered = 0
  const timer = setInterval(() => {
    const silentMs = unanswered * PING_INTERVAL_MS
    if (silentMs >= allowedMs) onSilent(silentMs)
    unanswered++
    if (unanswered > 1) return
    ping().then(
      () => {
        unanswered = 0
      },
      () => {},
    )
  }, PING_INTERVAL_MS)
  return {
    allow(silentMs: number): void {
      allowedMs = silentMs
    },
    stop: () => clearInterval(timer),
  }
}

import module from 'node:module'
import path from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { Settings } from '../config/settings.ts'
import { ExplainedError } from '../db/explain-failure.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import { createSharedIdMemory } from '../lib/shared-id.ts'
import type { Failure, Part } from '../lib/supervise.ts'
import type { EndedThread } from '../queue/rescue.ts'
import type { MainThread, RoleThread, ThreadPart } from './messages.ts'

/** A thread that runs its role. It fails by ending. */
export interface LaunchedThread extends Part {
  /** The functions of the thread. Pending calls reject when the thread ends. */
  readonly remote: BirpcReturn<RoleThread>
  /** The URL of its server. Empty without one. */
  readonly url: string
}

/** A thread that loads the modules of its role, until it is launched. */
export interface LoadingThread extends ThreadPart {
  readonly worker: Worker
  readonly ended: Promise<Failure>
  readonly writing: SharedArrayBuffer
  /** The reason counts unless the thread ends for another one. */
  terminate(reason: string): Promise<unknown>
}

/** The sources, or the compiled files of the installed package: Node strips no types below `node_modules`. */
const PROGRAM = new URL(`role-thread${path.extname(import.meta.url)}`, import.meta.url)

const PING_INTERVAL_MS = 1_000

/** A thread whose event loop does not turn for this long is ended. */
const SILENT_AFTER_MS = 10_000

/** A thread that starts loads its modules in one go: on half a processor, that takes seconds. */
const SILENT_AT_START_AFTER_MS = 60_000

export function loadThread(part: ThreadPart, maxHeapMb: number): LoadingThread {
  const cache = module.getCompileCacheDir()
  const writing = createSharedIdMemory()
  const worker = new Worker(PROGRAM, {
    name: part.isAlone ? 'alone' : part.role,
    workerData: { ...part, writing } satisfies ThreadPart,
    resourceLimits: resourceLimits(maxHeapMb),
    // A thread has the cache from its first file on: without it, each thread keeps the compiler of TypeScript in memory.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
  })
  let reason = ''
  const ended = new Promise<Failure>((resolve) => {
    worker.on('error', (error: Error) => {
      reason = error.message
    })
    worker.once('exit', (code) => resolve({ reason: reason || `it exited with code ${code}` }))
  })
  return {
    ...part,
    worker,
    ended,
    writing,
    terminate(why) {
      reason ||= why
      return worker.terminate()
    },
  }
}

interface LaunchOptions {
  readonly settings: Settings
  /** How often the thread was started again. Default: 0. */
  readonly restarts?: number
  /** The thread before. Default: none. */
  readonly ended?: EndedThread | null
  /** What the thread may call: all for a role, and `beforeSend` for attempts that run alone. */
  readonly main: Partial<MainThread>
}

/** Starts the role of a thread. Rejects with the reason if that fails or the thread ends. */
export async function launchThread(
  { role, worker, ended, terminate }: LoadingThread,
  { settings, restarts = 0, ended: endedThread = null, main }: LaunchOptions,
): Promise<LaunchedThread> {
  const remote = createBirpc<RoleThread>(main, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    timeout: -1,
  })
  const supervision = superviseAnswers(
    () => remote.ping(),
    (silentMs) => void terminate(`its event loop stood still for ${silentMs / 1_000} s`),
  )
  ended.then(({ reason }) => {
    supervision.stop()
    remote.$close(new Error(`The thread ${role} ended: ${reason}`))
  })
  try {
    const url = await remote
      .start(cloneable(settings), restarts, endedThread)
      .catch((error: Error) => {
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

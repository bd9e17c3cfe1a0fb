import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Role, Settings } from '../config/settings.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createOutageLines } from '../telemetry/outage-lines.ts'
import type { LaunchedThread } from './launch-thread.ts'
import type { MainThread, Provisioned, ThreadRole } from './messages.ts'
import { type SupervisedThread, startSupervisedThread } from './supervised-thread.ts'

/** The threads of a process. Disposing of them finishes what is in flight. */
export interface Threads extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** See `RoleThread.provision`. */
  provision(dataDir: string): Promise<Provisioned>
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

export interface ThreadsOptions {
  readonly role: Role
  readonly logger: Logger
  /** Whether the main thread has finished its own start. `/readyz` reports unavailable until then. */
  readonly hasStarted: () => boolean
}

/**
 * Runs the API and the worker on a thread each, so that neither waits for the other's work. A thread that fails takes only
 * its own role along, until it runs again. Rejects if the first start of a thread fails.
 */
export async function startThreads(
  { config, secrets, trustedAuthorities = [], testReceiver = null }: Settings,
  { role, logger, hasStarted }: ThreadsOptions,
): Promise<Threads> {
  const roles: readonly ThreadRole[] = role === 'all' ? ['api', 'worker'] : [role]
  const threads = new Map<ThreadRole, SupervisedThread>()
  const outageLines = createOutageLines(logger)
  const isListening = (self: ThreadRole) => self === roles[0]
  let { port } = config
  let standIn: AsyncDisposable | null = null

  async function start(self: ThreadRole): Promise<void> {
    const thread = await startSupervisedThread({
      launch: (restarts) => ({
        role: self,
        listens: isListening(self),
        restarts,
        settings: { config: { ...config, port }, secrets, trustedAuthorities, testReceiver },
        main: mainThread(self),
        maxHeapMb: maxHeapMb() / roles.length,
      }),
      logger,
      onLost: () => onLost(self),
    })
    threads.set(self, thread)
  }

  async function onLost(self: ThreadRole): Promise<void> {
    outageLines.forget(self)
    if (!isListening(self)) return
    try {
      const { startStandIn } = await import('./stand-in.ts')
      standIn = await startStandIn({ ...config, port }, logger)
    } catch (error) {
      logger.warn({ error }, 'requests are refused until the API runs again')
    }
  }

  async function endStandIn(): Promise<void> {
    await standIn?.[Symbol.asyncDispose]()
    standIn = null
  }

  function mainThread(self: ThreadRole): MainThread {
    return {
      readiness: async () => ({
        ...(!hasStarted() && { start: false }),
        ...(role === 'all' && {
          worker: await ask('worker', (thread) => thread.workerRuns(), false),
        }),
      }),
      async otherMetrics() {
        const others = roles.filter((other) => other !== self)
        const snapshots = others.map((other) => ask(other, (thread) => thread.metrics(), null))
        return (await Promise.all(snapshots)).filter((snapshot) => snapshot !== null)
      },
      outageBegins: (cause, error) => outageLines.begins(cause, error, self),
      outageEnds: (cause) => outageLines.ends(cause, self),
      releasePort: endStandIn,
    }
  }

  /** The answer of a thread, or `otherwise` if it does not answer in time, as while it is started again. */
  async function ask<Answer, Otherwise>(
    asked: ThreadRole,
    question: (thread: LaunchedThread['remote']) => Promise<Answer>,
    otherwise: Otherwise,
  ): Promise<Answer | Otherwise> {
    const thread = threads.get(asked)
    if (!thread) return otherwise
    const timeout = sleep(ANSWER_TIMEOUT_MS, otherwise, { ref: false })
    return await Promise.race([question(thread.current.remote).catch(() => otherwise), timeout])
  }

  async function stop(): Promise<void> {
    await Promise.all([...threads.values()].map((thread) => thread.stop()))
    await endStandIn()
  }

  const starts = await Promise.allSettled(roles.map(start))
  const failure = starts.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }
  const listening = threads.get(roles[0] as ThreadRole) as SupervisedThread
  const url = listening.current.url as string
  port = Number(new URL(url).port)
  return {
    url,
    provision: (dataDir) => listening.current.remote.provision(dataDir),
    abort() {
      threads
        .get('worker')
        ?.current.remote.abort.asEvent()
        .catch(() => {})
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** How long `/readyz` and `/metrics` wait for a thread that may be stuck. */
const ANSWER_TIMEOUT_MS = 1_000

/** The heap that Node would give a process of one thread; `--max-old-space-size` changes it. */
function maxHeapMb(): number {
  return getHeapStatistics().heap_size_limit / (1024 * 1024)
}

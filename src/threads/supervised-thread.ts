import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../telemetry/logger.ts'
import { type LaunchedThread, type LaunchOptions, launchThread } from './launch-thread.ts'

/** A thread that is started again whenever it ends, until `stop`. */
export interface SupervisedThread {
  /** The running thread, or the last one while it is started again. */
  readonly current: LaunchedThread
  /** Resolves when the thread has finished what is in flight. */
  stop(): Promise<void>
}

export interface SupervisedThreadOptions {
  /** The options of the next start, after this many restarts. */
  readonly launch: (restarts: number) => LaunchOptions
  readonly logger: Logger
  /** Called when the thread has ended by itself and will be started again. */
  readonly onLost: () => Promise<void>
}

/** The pause before another start of a thread that could not start. */
const RESTART_PAUSE_MS = 1_000

/** Starts a thread. Rejects if its first start fails. */
export async function startSupervisedThread({
  launch,
  logger,
  onLost,
}: SupervisedThreadOptions): Promise<SupervisedThread> {
  const first = launch(0)
  let current = await launchThread(first)
  let restarts = 0
  let stopping = false
  const supervision = supervise()

  async function supervise(): Promise<void> {
    for (;;) {
      const reason = await current.ended
      if (stopping) return
      logger.error({ thread: first.role, reason }, 'a thread ended and is started again')
      await onLost()
      await restart()
      if (stopping) requestStop()
    }
  }

  function requestStop(): void {
    // Rejects if the thread has just ended.
    current.remote.stop.asEvent().catch(() => {})
  }

  async function restart(): Promise<void> {
    while (!stopping) {
      const options = launch(restarts + 1)
      try {
        current = await launchThread(options)
        restarts += 1
        logger.info({ thread: options.role }, 'the thread runs again')
        return
      } catch (error) {
        const { message } = error as Error
        logger.error({ thread: options.role, reason: message }, 'the thread could not start')
        await sleep(RESTART_PAUSE_MS)
      }
    }
  }

  return {
    get current() {
      return current
    },
    async stop() {
      stopping = true
      requestStop()
      await supervision
    },
  }
}

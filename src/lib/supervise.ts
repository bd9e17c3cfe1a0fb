import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A part of Posthorn that may fail: a thread, or a runner of jobs. */
export interface Part {
  /** Resolves when it has failed. It starts nothing new from then on. */
  readonly failed: Promise<Failure>
  /** Finishes what is in flight, in a bounded time. */
  drain(): Promise<void>
}

export interface Failure {
  readonly reason: string
  readonly error?: unknown
}

/** Disposing of it drains the part that runs. */
export interface Supervised<P extends Part> extends AsyncDisposable {
  /** Null from the failure of a part until the next one runs. */
  readonly current: P | null
}

interface SupervisionOptions<P extends Part> {
  /** Starts the part, after this many restarts. */
  readonly start: (restarts: number) => Promise<P>
  readonly onFailed: (failure: Failure) => void
  readonly onStartFailed: (error: unknown) => void
  readonly onRestarted?: () => void
  /** The pause before another start of a part that could not start. */
  readonly retryAfterMs: number
}

/**
 * Starts a part, and another one whenever it fails. Rejects if the first start fails. A failed part is drained once its
 * successor runs: so little time passes in which none runs, and what is in flight may wait until Postgres is back.
 */
export async function supervise<P extends Part>(
  options: SupervisionOptions<P>,
): Promise<Supervised<P>> {
  const { start, onFailed, onStartFailed, onRestarted = () => {}, retryAfterMs } = options
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort').then(() => null)
  const draining = new Set<Promise<void>>()
  const first = await start(0)
  let current: P | null = first
  let restarts = 0
  const supervision = watch(first)

  async function watch(part: P): Promise<void> {
    for (let watched: P | null = part; watched; ) {
      const failure = await Promise.race([watched.failed, stopped])
      if (failure === null) return drain(watched)
      current = null
      onFailed(failure)
      current = await startNext()
      drain(watched)
      watched = current
    }
  }

  async function startNext(): Promise<P | null> {
    while (!stopping.signal.aborted) {
      try {
        const next = await start(restarts + 1)
        restarts += 1
        onRestarted()
        return next
      } catch (error) {
        onStartFailed(error)
        await sleep(retryAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    return null
  }

  function drain(part: P): void {
    const drained = part.drain().finally(() => draining.delete(drained))
    draining.add(drained)
  }

  return {
    get current() {
      return current
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await supervision
      await Promise.all(draining)
    },
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectionTimes } from './outcome.ts'

/** Measures and can abort how a connection is opened for one request. A request on a reused connection never starts its timer. */
export class ConnectionTimer {
  #startedAt: number | null = null
  #lookedUpAt: number | null = null
  #connectedAt: number | null = null
  #readyAt: number | null = null
  #abort: (() => void) | null = null

  /** The timer of the request that is being dispatched. undici calls a connector in the context of its request. */
  static current(): ConnectionTimer | undefined {
    return dispatching.getStore()
  }

  run(dispatch: () => void): void {
    dispatching.run(this, dispatch)
  }

  /** Starts again if a request needs a second connection. `abort` stops opening the connection. */
  start(abort: () => void): void {
    this.#abort = abort
    this.#startedAt = performance.now()
    this.#lookedUpAt = this.#connectedAt = this.#readyAt = null
  }

  lookedUp(): void {
    this.#lookedUpAt = performance.now()
  }

  connected(): void {
    this.#connectedAt = performance.now()
  }

  ready(): void {
    this.#readyAt = performance.now()
  }

  /** Stops opening the connection, unless it is open. */
  abort(): void {
    this.#abort?.()
  }

  /** A phase that has not ended counts until now. Null if no connection was opened. */
  times(): ConnectionTimes | null {
    if (this.#startedAt === null) return null
    return {
      lookupMs: between(this.#startedAt, this.#lookedUpAt) ?? 0,
      connectMs: between(this.#lookedUpAt, this.#connectedAt),
      tlsMs: between(this.#connectedAt, this.#readyAt),
    }
  }
}

const dispatching = new AsyncLocalStorage<ConnectionTimer>()

function between(from: number | null, to: number | null): number | null {
  return from === null ? null : Math.round((to ?? performance.now()) - from)
}

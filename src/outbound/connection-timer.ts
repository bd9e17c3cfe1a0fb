import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectionTimes } from './outcome.ts'

/** Measures and can abort how a connection is opened for one request. A request on a reused connection never starts its timer. */
export class ConnectionTimer {
  /** When opening began, and when the name was looked up, TCP connected and TLS ready. */
  #marks: number[] = []
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
    this.#marks = [performance.now()]
  }

  /** The next phase begins. */
  next(): void {
    this.#marks.push(performance.now())
  }

  /** Stops opening the connection, unless it is open. */
  abort(): void {
    this.#abort?.()
  }

  /** A phase that has not ended counts until now. Null if no connection was opened. */
  times(): ConnectionTimes | null {
    const marks = this.#marks
    if (marks.length === 0) return null
    const phaseMs = (n: number) =>
      Math.round((marks[n + 1] ?? performance.now()) - (marks[n] as number))
    return {
      lookupMs: phaseMs(0),
      connectMs: marks.length > 1 ? phaseMs(1) : null,
      tlsMs: marks.length > 2 ? phaseMs(2) : null,
    }
  }
}

const dispatching = new AsyncLocalStorage<ConnectionTimer>()

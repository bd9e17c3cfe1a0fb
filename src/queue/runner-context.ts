import { AsyncLocalStorage } from 'node:async_hooks'

/** Where worker runners run, so that a rejection of theirs that nobody handles ends nothing. */
export interface RunnerContext extends Disposable {
  enter<Result>(run: () => Result): Result
  leave<Result>(run: () => Result): Result
}

/**
 * A runner that cannot return its jobs while it shuts down drops a promise that rejects (graphile-worker 0.18.0), and Node
 * ends the process for that. Only a handler of the process sees it. What does not come from a runner is left as it is.
 */
export function createRunnerContext(onRejection: (error: unknown) => void): RunnerContext {
  const inRunner = new AsyncLocalStorage<boolean>()

  function onUnhandled(error: unknown): void {
    if (inRunner.getStore()) onRejection(error)
    else if (process.listenerCount('unhandledRejection') === 1) throw error
  }

  process.on('unhandledRejection', onUnhandled)
  return {
    enter: (run) => inRunner.run(true, run),
    leave: (run) => inRunner.run(false, run),
    [Symbol.dispose]() {
      process.off('unhandledRejection', onUnhandled)
    },
  }
}

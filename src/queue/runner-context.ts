import { AsyncLocalStorage } from 'node:async_hooks'

/** Where worker runners run, so that a rejection of theirs that nobody handles ends nothing. */
export interface RunnerContext extends Disposable {
  enter<Result>(run: () => Result): Result
  leave<Result>(run: () => Result): Result
}

/**
 * graphile-worker may release its listening connection twice while that breaks, and drops the promise that rejects then.
 * Only a handler of the process sees it. It takes what comes from a runner, and leaves all else as it is without it.
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

import { AsyncLocalStorage } from 'node:async_hooks'

/** The async context of worker runners. Their unhandled rejections do not end the process. */
export interface RunnerContext extends Disposable {
  run<Result>(callback: () => Result): Result
  /** Calls a callback outside of the context. */
  exit<Result>(callback: () => Result): Result
}

/**
 * A runner of graphile-worker 0.18.0 that cannot return its jobs when it stops rejects a promise that it does not await, and
 * Node ends the thread. Only a handler of the process can prevent this, so a runner starts and stops in its context. Other
 * unhandled rejections still end the thread.
 */
export function createRunnerContext(onRejection: (error: unknown) => void): RunnerContext {
  const inRunner = new AsyncLocalStorage<boolean>()

  function onUnhandled(error: unknown): void {
    if (inRunner.getStore()) onRejection(error)
    else if (process.listenerCount('unhandledRejection') === 1) throw error
  }

  process.on('unhandledRejection', onUnhandled)
  return {
    run: (callback) => inRunner.run(true, callback),
    exit: (callback) => inRunner.run(false, callback),
    [Symbol.dispose]() {
      process.off('unhandledRejection', onUnhandled)
    },
  }
}

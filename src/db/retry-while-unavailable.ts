import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable } from './faults.ts'

interface RetryOptions {
  /** Once it is aborted, `run` is not repeated. Default: never. */
  readonly signal?: AbortSignal
  /** Called with each error. Default: nothing. */
  readonly onUnavailable?: (error: unknown) => void
}

const RETRY_DELAY_MS = 250

/** Repeats `run` until Postgres is available. `run` must be idempotent. */
export async function retryWhileUnavailable<Result>(
  run: () => Promise<Result>,
  { signal, onUnavailable = () => {} }: RetryOptions = {},
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (signal?.aborted || !isDatabaseUnavailable(error)) throw error
      onUnavailable(error)
    }
    await sleep(RETRY_DELAY_MS, undefined, { signal }).catch(() => {})
  }
}

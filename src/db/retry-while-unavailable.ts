import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable } from './faults.ts'

const RETRY_DELAY_MS = 250

/** Repeats `run` until Postgres is available, or until an abort of `signal`. `run` must be idempotent. */
export async function retryWhileUnavailable<Result>(
  run: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (signal?.aborted || !isDatabaseUnavailable(error)) throw error
    }
    await sleep(RETRY_DELAY_MS, undefined, { signal }).catch(() => {})
  }
}

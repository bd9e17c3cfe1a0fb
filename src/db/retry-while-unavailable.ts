import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable } from './faults.ts'

const TRY_AGAIN_AFTER_MS = 250

/** Runs something again while Postgres is unavailable. For what may be done twice. */
export async function retryWhileUnavailable<Result>(run: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
    }
    await sleep(TRY_AGAIN_AFTER_MS)
  }
}

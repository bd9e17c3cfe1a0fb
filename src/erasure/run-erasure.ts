import { setTimeout as sleep } from 'node:timers/promises'
import { type ErasureDeps, runErasurePage } from './continue-erasure.ts'

/** A longer pause is one before another pass, for events whose deliveries are not sent yet. */
const MAX_WAIT_MS = 1_000

/**
 * Runs an erasure here and now, without a worker. Resolves to whether it has ended: otherwise it waits for deliveries, and a
 * worker goes on.
 */
export async function runErasure(deps: ErasureDeps, uuid: string): Promise<boolean> {
  for (;;) {
    const page = await runErasurePage(deps, uuid)
    if (page === null || page.waitMs === null) return true
    if (page.waitMs > MAX_WAIT_MS) return false
    await sleep(page.waitMs)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../../src/db/client.ts'
import { runDeletionPage } from '../../../../src/organizations/deletion/continue-deletion.ts'

/** Runs the pages of a deletion until it ends, as its jobs do, with shorter waits. */
export async function finishDeletion(
  { background }: Database,
  organizationUuid: string,
): Promise<void> {
  for (;;) {
    const page = await runDeletionPage(background, 'graphile_worker', organizationUuid)
    if (page === null || page.waitMs === null) return
    await sleep(Math.min(page.waitMs, 20))
  }
}

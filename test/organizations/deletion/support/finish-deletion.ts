import type { Database } from '../../../../src/db/client.ts'
import { runDeletionPage } from '../../../../src/organizations/deletion/continue-deletion.ts'
import { startStopwatch } from '../../../support/stopwatch.ts'

/** Runs the pages of a deletion until it ends, as its jobs do. */
export async function finishDeletion(
  { background }: Database,
  organizationUuid: string,
): Promise<void> {
  const stopwatch = startStopwatch()
  for (;;) {
    const page = await runDeletionPage(background, 'graphile_worker', organizationUuid)
    if (page === null || page.waitMs === null) return
    if (stopwatch.readMs() > 30_000) throw new Error('The deletion does not end.')
  }
}

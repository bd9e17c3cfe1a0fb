import type { Database } from '../../../../src/db/client.ts'
import { runDeletionPage } from '../../../../src/organizations/deletion/continue-deletion.ts'

/** Runs the pages of a deletion until it ends, as its jobs do. */
export async function finishDeletion(
  { background }: Database,
  organizationUuid: string,
): Promise<void> {
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await runDeletionPage(background, 'graphile_worker', organizationUuid)
    if (page === null || page.waitMs === null) return
  }
  throw new Error('The deletion does not end.')
}

const MOST_PAGES = 2_000

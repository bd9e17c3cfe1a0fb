import type { Database } from '../../../../src/db/client.ts'
import { publicId } from '../../../../src/db/ids.ts'
import { findDeletions } from '../../../../src/organizations/deletion/delete-organization.ts'
import { runPage } from '../../../../src/queue/long-work.ts'
import { workDeps } from '../../../bulk-tasks/rows.ts'

/** Runs the next page of a deletion, without a wait. Returns null if it has ended. */
export async function runDeletionPage(database: Database, organizationUuid: string) {
  const { pool, prisma } = database
  const [deletion] = await findDeletions(prisma, publicId('organization', organizationUuid))
  if (!deletion) throw new Error('The organization is not deleted.')
  await pool.query(
    `update posthorn.bulk_tasks set next_page_at = now() where id = $1 and state = 'running'`,
    [deletion.id],
  )
  return await runPage(workDeps(database), deletion.id)
}

/** Runs the pages of a deletion until it ends, as its jobs do. */
export async function finishDeletion(database: Database, organizationUuid: string): Promise<void> {
  while ((await runDeletionPage(database, organizationUuid)) !== null);
}

import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { DELETION_QUEUE } from '../../queue/background.ts'
import { deletionKey } from '../../queue/jobs.ts'

/** Adds the jobs of deletions that have none, as an operator may have completed or failed theirs. Returns how many. */
export async function restartDeletions(sql: Sql, workerSchema: string): Promise<number> {
  const { rows } = await sql.query<{ id: string }>(
    'select organization_id as id from posthorn.organization_deletions where finished_at is null',
  )
  let restarted = 0
  for (const { id } of rows) {
    const organizationId = publicId('organization', id)
    const { rowCount } = await sql.query(
      `select posthorn.enqueue('delete_organization', $1, $2, queue := $3)
       where not exists (select from ${workerSchema}.jobs where key = $2 and attempts < max_attempts)`,
      [{ organizationId }, deletionKey(organizationId), DELETION_QUEUE],
    )
    restarted += rowCount ?? 0
  }
  return restarted
}

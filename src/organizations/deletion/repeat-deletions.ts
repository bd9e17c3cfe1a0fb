import type { Actor } from '../../access/actor.ts'
import type { Sql } from '../../db/client.ts'
import type { PrismaClient } from '../../db/generated/prisma/client.ts'
import { parseId } from '../../db/ids.ts'
import { organizationExists } from '../find-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import type { RecordedDeletion } from './recorded-deletions.ts'

/**
 * Deletes again the organizations that a restored backup has brought back, with force, and adds the tombstones that the
 * backup does not have. Returns the ids of the organizations that are deleted again.
 */
export async function repeatDeletions(
  { prisma, sql }: { readonly prisma: PrismaClient; readonly sql: Sql },
  deletions: readonly RecordedDeletion[],
  actor: Actor,
): Promise<string[]> {
  const repeated: string[] = []
  for (const deletion of deletions) {
    const { organizationId: id } = deletion
    const uuid = parseId('organization', id) as string
    if (await organizationExists(sql, uuid)) {
      await deleteOrganization(prisma, id, { force: true, of: deletion }, actor)
      repeated.push(id)
    } else await addTombstone(sql, uuid, deletion)
  }
  return repeated
}

/** Of an organization that was created and deleted after the backup. */
async function addTombstone(
  sql: Sql,
  uuid: string,
  { requestedAt, requestedBy }: RecordedDeletion,
): Promise<void> {
  await sql.query(
    `insert into posthorn.organization_deletions (organization_id, requested_at, requested_by, finished_at)
     values ($1, $2, $3, now()) on conflict do nothing`,
    [uuid, requestedAt, requestedBy],
  )
}

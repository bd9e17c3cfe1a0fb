import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { checkEditConflict } from '../audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { joinTransaction } from '../db/transaction.ts'
import { notFound } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'

export const organizationName = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !text.includes('\0'), 'must not contain the NUL character')

const newOrganization = z.object({ name: organizationName })

/** Creates an organization without API keys and webhooks. */
export async function createOrganization(
  db: Db,
  input: { name: string },
  actor: Actor,
): Promise<Organization> {
  const data = parseInput(newOrganization, input)
  return await joinTransaction(db, async (tx) => {
    const organization = await tx.organization.create({ data })
    await writeAuditEntry(tx, actor, {
      action: 'organization.created',
      organizationId: organization.id,
      subjectId: publicId('organization', organization.id),
      after: { name: organization.name },
    })
    return organization
  })
}

/** The organization with a public id. Throws `not_found`. */
export async function getOrganization(db: Db, id: string): Promise<Organization> {
  const uuid = parseId('organization', id)
  const organization = uuid && (await db.organization.findUnique({ where: { id: uuid } }))
  if (!organization) throw notFound('organization', id)
  return organization
}

/** All organizations, oldest first. */
export async function listOrganizations(db: Db): Promise<Organization[]> {
  return await db.organization.findMany({ orderBy: { id: 'asc' } })
}

/**
 * Renames an organization. Throws `not_found` or `invalid`, or an `EditConflict` if somebody else renamed it after
 * `ifRevision`.
 */
export async function renameOrganization(
  db: Db,
  id: string,
  input: { name: string },
  actor: Actor,
  ifRevision?: number,
): Promise<Organization> {
  const { id: uuid } = await getOrganization(db, id)
  const { name } = parseInput(newOrganization, input)
  return await joinTransaction(db, async (tx) => {
    await tx.$queryRaw`select from posthorn.organizations where id = ${uuid}::uuid for no key update`
    const before = await getOrganization(tx, id)
    const subject = { organizationId: uuid, subjectId: id }
    const changed = changedFields({ name: before.name }, { name })
    const edited = { ...subject, revision: before.revision, actions: [RENAMED] as const }
    await checkEditConflict(tx, edited, ifRevision, changed.before)
    if (Object.keys(changed.after).length === 0) return before
    const after = await tx.organization.update({
      where: { id: uuid },
      data: { name, revision: { increment: 1 } },
    })
    await writeAuditEntry(tx, actor, { action: RENAMED, ...subject, ...changed })
    return after
  })
}

const RENAMED = 'organization.renamed'

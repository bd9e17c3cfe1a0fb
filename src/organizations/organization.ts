import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { checkEditConflict } from '../audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { inReadCommitted, joinTransaction } from '../db/transaction.ts'
import { notFound } from '../lib/errors.ts'
import { omitUndefined, parseInput } from '../lib/validation.ts'
import { metadataRule, sortMetadata } from '../own-names/metadata.ts'
import { lockUid, uidRule, uidTaken } from '../own-names/uid.ts'
import { keepRule } from '../retention/keep-rule.ts'
import { requireWithinInstallation, retentionDaysRule } from '../retention/retention-days.ts'

const organizationName = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !text.includes('\0'), 'must not contain the NUL character')

/** The fields that an operator can set, with their rules. */
export const organizationFields = {
  name: organizationName,
  uid: uidRule.nullable(),
  metadata: metadataRule,
  retentionDays: retentionDaysRule,
  keepResponseBodies: keepRule,
  keepPayloads: keepRule,
}

const newOrganization = z.object({
  name: organizationFields.name,
  uid: organizationFields.uid.default(null),
  metadata: organizationFields.metadata.default({}),
  retentionDays: organizationFields.retentionDays.default(null),
  keepResponseBodies: organizationFields.keepResponseBodies.default(true),
  keepPayloads: organizationFields.keepPayloads.default(true),
})

/** A missing field stays unchanged. */
const organizationChanges = z.object(organizationFields).partial()

export type NewOrganization = z.input<typeof newOrganization>
export type OrganizationChanges = z.input<typeof organizationChanges>

/** Creates an organization without API keys and webhooks. Throws `invalid`. */
export async function createOrganization(
  db: Db,
  input: NewOrganization,
  actor: Actor,
): Promise<Organization> {
  const data = parseInput(newOrganization, input)
  await requireWithinInstallation(db, data.retentionDays)
  const run = data.uid === null ? joinTransaction : inReadCommitted
  return await run(db, async (tx) => {
    if (data.uid !== null) await claimUid(tx, data.uid)
    const organization = await tx.organization.create({ data })
    await writeAuditEntry(tx, actor, {
      action: 'organization.created',
      organizationId: organization.id,
      subjectId: publicId('organization', organization.id),
      after: auditedFields(organization),
    })
    return organization
  })
}

/** The organization with a public id. Throws `not_found`, also for one that is being deleted. */
export async function getOrganization(db: Db, id: string): Promise<Organization> {
  const uuid = parseId('organization', id)
  const organization =
    uuid && (await db.organization.findUnique({ where: { id: uuid, deletedAt: null } }))
  if (!organization) throw notFound('organization', id)
  return organization
}

/** The organization with a public id or a uid. Throws `not_found`. */
export async function getNamedOrganization(db: Db, idOrUid: string): Promise<Organization> {
  if (parseId('organization', idOrUid) !== null) return await getOrganization(db, idOrUid)
  // Postgres does not accept NUL in text.
  const where = { uid: idOrUid.replaceAll('\0', '') }
  const organization = await db.organization.findUnique({ where })
  if (!organization) throw notFound('organization', idOrUid)
  return organization
}

/** All organizations, oldest first. */
export async function listOrganizations(db: Db): Promise<Organization[]> {
  return await db.organization.findMany({ where: { deletedAt: null }, orderBy: { id: 'asc' } })
}

/**
 * Changes the given fields of an organization. Throws `not_found` or `invalid`, or an `EditConflict` if somebody else
 * changed them after `ifRevision`.
 */
export async function updateOrganization(
  db: Db,
  id: string,
  input: OrganizationChanges,
  actor: Actor,
  ifRevision?: number,
): Promise<Organization> {
  const { id: uuid } = await getOrganization(db, id)
  const changes = parseInput(organizationChanges, input)
  const run = typeof changes.uid === 'string' ? inReadCommitted : joinTransaction
  return await run(db, async (tx) => {
    // Before the row, as upserts do, so that two callers never wait for each other.
    if (typeof changes.uid === 'string') await claimUid(tx, changes.uid, uuid)
    return (await updateInTransaction(tx, uuid, changes, actor, ifRevision)).organization
  })
}

/** `updateOrganization` in a transaction that has claimed the given uid. */
export async function updateInTransaction(
  tx: Db,
  uuid: string,
  input: OrganizationChanges,
  actor: Actor,
  ifRevision?: number,
): Promise<{ organization: Organization; changed: boolean }> {
  const changes = parseInput(organizationChanges, input)
  await tx.$queryRaw`select from posthorn.organizations where id = ${uuid}::uuid for no key update`
  const id = publicId('organization', uuid)
  const before = await getOrganization(tx, id)
  const subject = { organizationId: uuid, subjectId: id }
  const data = omitUndefined(changes)
  const changed = changedFields(auditedFields(before), auditedFields({ ...before, ...data }))
  if ('retentionDays' in changed.after) await requireWithinInstallation(tx, changes.retentionDays)
  const edited = { ...subject, revision: before.revision, actions: [UPDATED] as const }
  if (Object.keys(changed.after).length === 0) return { organization: before, changed: false }
  await checkEditConflict(tx, edited, ifRevision)
  const organization = await tx.organization.update({
    where: { id: uuid },
    // Once payloads are not kept any more, all older ones are looked through again.
    data: {
      ...data,
      revision: { increment: 1 },
      ...(data.keepPayloads && { payloadsQueuedTo: null }),
    },
  })
  await writeAuditEntry(tx, actor, { action: UPDATED, ...subject, ...changed })
  return { organization, changed: true }
}

const UPDATED = 'organization.updated'

/** The fields that a caller can set. */
function auditedFields({ name, uid, metadata, ...organization }: Organization) {
  const { retentionDays, keepResponseBodies, keepPayloads } = organization
  const rules = { retentionDays, keepResponseBodies, keepPayloads }
  return { name, uid, metadata: sortMetadata(metadata), ...rules }
}

/** In the place of an organization, for uids that are unique in the installation. */
export const INSTALLATION = 'installation'

/** Keeps others from giving a uid to an organization. Throws `invalid` if another one than `uuid` has the uid. */
async function claimUid(tx: Db, uid: string, uuid?: string): Promise<void> {
  await lockUid(tx, INSTALLATION, uid)
  const holder = await tx.organization.findUnique({ where: { uid }, select: { id: true } })
  if (!holder || holder.id === uuid) return
  throw uidTaken(uid, `the organization ${publicId('organization', holder.id)}`)
}

import type { Actor } from '../auth/access/actor.ts'
import { changedFields, writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { joinTransaction } from '../db/transaction.ts'
import { notFound } from '../lib/errors.ts'
import {
  changesRule,
  type GivenSettings,
  newObjectRule,
  settingsIn,
  type Upserted,
} from '../lib/setting.ts'
import { omitUndefined, parseInput } from '../lib/validation.ts'
import { findNamedOrganization, type OrganizationName } from './find-organization.ts'
import { ORGANIZATION_SETTINGS } from './organization-settings.ts'
import { lockUid, uidTaken } from './own-names/uid.ts'
import { requireWithinInstallation } from './retention/retention-rules.ts'

export type OrganizationInput = GivenSettings<typeof ORGANIZATION_SETTINGS>

const newOrganization = newObjectRule(ORGANIZATION_SETTINGS)
const organizationChanges = changesRule(ORGANIZATION_SETTINGS)

/** Creates an organization without API keys and webhooks. Throws `invalid`. */
export async function createOrganization(
  db: Db,
  input: OrganizationInput,
  actor: Actor,
): Promise<Organization> {
  const data = parseInput(newOrganization, input)
  return await joinTransaction(db, async (tx) => {
    await requireWithinInstallation(tx, data.retentionDays)
    await claimUid(tx, data.uid, null)
    const organization = await tx.organization.create({ data })
    await writeAuditEntry(tx, actor, {
      action: 'organization.created',
      organizationId: organization.id,
      subjectId: publicId('organization', organization.id),
      after: settingsIn(organization, ORGANIZATION_SETTINGS),
    })
    return organization
  })
}

/**
 * Changes the given settings of an organization. If it is named by a uid and there is none, creates it; of concurrent calls,
 * one creates. Throws `invalid`, `not_found`, or an `EditConflict` if somebody else made changes after `ifRevision`.
 */
export async function saveOrganization(
  db: Db,
  named: OrganizationName,
  given: OrganizationInput,
  actor: Actor,
  ifRevision?: number | null,
): Promise<Upserted> {
  const input = { ...given, ...('uid' in named && named) }
  return await joinTransaction(db, async (tx) => {
    // Before the row, so that two callers never wait for each other.
    if (typeof input.uid === 'string') await lockUid(tx, INSTALLATION, input.uid)
    const before = await lockOrganization(tx, named)
    if (before) return await change(tx, before, input, actor, ifRevision)
    const { id } = await createOrganization(tx, input, actor)
    return { id: publicId('organization', id), created: true, changed: true }
  })
}

/** Null for an unknown uid. */
async function lockOrganization(tx: Db, named: OrganizationName): Promise<Organization | null> {
  const found = await findNamedOrganization(tx, named)
  if (found) {
    await tx.$queryRaw`select from posthorn.organizations where id = ${found.id}::uuid for no key update`
  }
  // Again, as a deletion or another uid can commit while this waits for the row.
  const row = found && (await findNamedOrganization(tx, named))
  if (!row && 'id' in named) throw notFound('organization', named.id)
  return row
}

async function change(
  tx: Db,
  before: Organization,
  input: OrganizationInput,
  actor: Actor,
  ifRevision: number | null | undefined,
): Promise<Upserted> {
  const data = omitUndefined(parseInput(organizationChanges, input))
  await claimUid(tx, data.uid, before.id)
  const changed = changedFields(
    settingsIn(before, ORGANIZATION_SETTINGS),
    settingsIn({ ...before, ...data }, ORGANIZATION_SETTINGS),
  )
  const id = publicId('organization', before.id)
  if (Object.keys(changed.after).length === 0) return { id, created: false, changed: false }
  if ('retentionDays' in changed.after) await requireWithinInstallation(tx, data.retentionDays)
  const action = 'organization.updated'
  const subject = { organizationId: before.id, subjectId: id }
  const edited = { ...subject, revision: before.revision, actions: [action] as const }
  await checkEditConflict(tx, edited, ifRevision)
  await tx.organization.update({
    where: { id: before.id },
    data: {
      ...data,
      revision: { increment: 1 },
      // Once payloads are not kept any more, all older ones are looked through again.
      ...(data.keepPayloads && { payloadsQueuedTo: null }),
    },
  })
  await writeAuditEntry(tx, actor, { action, ...subject, ...changed })
  return { id, created: false, changed: true }
}

/** In the place of an organization, for uids that are unique in the installation. */
const INSTALLATION = 'installation'

/** Keeps others from giving a uid to an organization. Throws `invalid` if another one than `uuid` has the uid. */
async function claimUid(tx: Db, uid: string | null | undefined, uuid: string | null) {
  if (uid == null) return
  await lockUid(tx, INSTALLATION, uid)
  const holder = await tx.organization.findUnique({ where: { uid }, select: { id: true } })
  if (!holder || holder.id === uuid) return
  throw uidTaken(uid, `the organization ${publicId('organization', holder.id)}`)
}

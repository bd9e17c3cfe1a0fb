import { z } from 'zod'
import type { Actor } from '../../auth/access/actor.ts'
import { changedFields, writeAuditEntry } from '../../auth/audit/audit-entry.ts'
import { EMAIL } from '../../config/setting-parsers.ts'
import { actForOrganization } from '../../db/act-for.ts'
import type { Db } from '../../db/client.ts'
import type { AlertAddress } from '../../db/generated/prisma/client.ts'
import { parseId, publicId } from '../../db/ids.ts'
import { DomainError, notFound } from '../../lib/errors.ts'
import { parseInput } from '../../lib/validation.ts'
import { enqueue } from '../../queue/jobs.ts'
import type { OperationalEventType } from './operational-event-types.ts'

/** The addresses of an organization. */
export const MAX_ADDRESSES = 20

const EMAIL_RULE = 'must be one e-mail address of at most 254 characters, such as ada@example.com'
const URL_RULE = 'must be an https:// URL without # and of at most 2,048 characters'

const input = z.object({
  email: z.string().trim().max(254, EMAIL_RULE).regex(EMAIL, EMAIL_RULE),
  kinds: z
    .array(z.custom<OperationalEventType>())
    .min(1, 'must have at least one kind. To end all alerts, remove the address'),
  /** Missing: as before; of a new address, the console. */
  portalPageUrl: z
    .string()
    .max(2_048, URL_RULE)
    .regex(/^https:\/\/[^\s#\p{C}]+$/u, URL_RULE)
    .refine(URL.canParse, URL_RULE)
    .nullish(),
})

/** The addresses of an organization, oldest first. */
export async function listAlertAddresses(db: Db, organizationId: string): Promise<AlertAddress[]> {
  return await db.alertAddress.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })
}

/**
 * Adds an address, or changes what it gets. One that is not confirmed is sent a link. Throws `invalid`, or `conflict` if the
 * organization has the maximum of addresses.
 */
export async function setAlertAddress(
  db: Db,
  organizationId: string,
  given: z.input<typeof input>,
  actor: Actor,
): Promise<AlertAddress> {
  const { email, kinds, portalPageUrl } = parseInput(input, given)
  return await actForOrganization(db, organizationId, async (tx) => {
    const present = await listAlertAddresses(tx, organizationId)
    const before = present.find((one) => one.email.toLowerCase() === email.toLowerCase())
    if (!before && present.length >= MAX_ADDRESSES) {
      throw new DomainError('conflict', `There are ${MAX_ADDRESSES} addresses already. Remove one.`)
    }
    const data = {
      kinds: [...new Set(kinds)],
      ...(portalPageUrl !== undefined && { portalPageUrl }),
      ...(!before?.confirmedAt && { confirmationRequestedAt: new Date(), rejection: null }),
    }
    if (before?.confirmedAt) {
      const { after } = changedFields(fields(before), fields({ ...before, ...data }))
      if (Object.keys(after).length === 0) return before
    }
    const after = before
      ? await tx.alertAddress.update({ where: { id: before.id }, data })
      : await tx.alertAddress.create({ data: { organizationId, email, ...data } })
    if (!after.confirmedAt) {
      const addressId = publicId('alertAddress', after.id)
      const job = { key: `confirm:${after.id}`, queue: 'posthorn:mail' }
      await enqueue(tx, 'send_confirmation', { addressId }, job)
    }
    await writeAuditEntry(tx, actor, {
      action: before ? 'alert_address.updated' : 'alert_address.added',
      ...{ organizationId, subjectId: publicId('alertAddress', after.id) },
      ...(before && { before: fields(before) }),
      after: fields(after),
    })
    return after
  })
}

/** Throws `not_found`. */
export async function removeAlertAddress(
  db: Db,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('alertAddress', id)
  await actForOrganization(db, organizationId, async (tx) => {
    const before =
      uuid && (await tx.alertAddress.findFirst({ where: { id: uuid, organizationId } }))
    if (!before) throw notFound('address', id)
    await tx.alertAddress.deleteMany({ where: { id: before.id } })
    const entry = { action: 'alert_address.removed', organizationId, subjectId: id } as const
    await writeAuditEntry(tx, actor, { ...entry, before: fields(before) })
  })
}

function fields({ email, kinds, portalPageUrl }: AlertAddress) {
  // A set: another order is not a change.
  return { email, kinds: kinds.toSorted(), portalPageUrl }
}

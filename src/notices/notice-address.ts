import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { EMAIL } from '../config/setting-parsers.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { NoticeAddress } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { joinTransaction } from '../db/transaction.ts'
import { DomainError, invalid, notFound } from '../lib/errors.ts'
import { requestConfirmation } from './confirm-address.ts'
import type { OperationalEventType } from './operational-event-types.ts'

/** The addresses of an organization, and those of the operator. */
export const MAX_ADDRESSES = 20

const MAX_EMAIL_LENGTH = 254
const MAX_URL_LENGTH = 2_048

/** The uuid of an organization. Null: the operator, who gets the notices of all organizations. */
export type AddressOwner = string | null

export interface NewNoticeAddress {
  readonly email: string
  readonly kinds: readonly OperationalEventType[]
  readonly portalPageUrl?: string | null | undefined
}

export interface NoticeAddressChange {
  readonly kinds: readonly OperationalEventType[]
  /** Missing: as before. */
  readonly portalPageUrl?: string | null | undefined
}

/** The addresses of an organization or of the operator, oldest first. */
export async function listNoticeAddresses(db: Db, owner: AddressOwner): Promise<NoticeAddress[]> {
  return await db.noticeAddress.findMany({
    where: { organizationId: owner },
    orderBy: { id: 'asc' },
  })
}

/**
 * Adds an address, which is sent a link to confirm it. Throws `invalid`, or `conflict` if the owner has the address or the
 * maximum of them.
 */
export async function addNoticeAddress(
  db: Db,
  owner: AddressOwner,
  { email, kinds, portalPageUrl = null }: NewNoticeAddress,
  actor: Actor,
): Promise<NoticeAddress> {
  const given = email.trim()
  if (given.length > MAX_EMAIL_LENGTH || !EMAIL.test(given)) {
    const detail = `email must be one e-mail address of at most ${MAX_EMAIL_LENGTH} characters, such as ada@example.com.`
    throw invalid([{ path: ['email'], code: 'invalid_format', detail }])
  }
  requireKinds(kinds)
  requirePortalPage(owner, portalPageUrl)
  return await changeAddresses(db, owner, async (tx) => {
    const present = await listNoticeAddresses(tx, owner)
    if (present.some((one) => one.email.toLowerCase() === given.toLowerCase())) {
      throw new DomainError('conflict', `${given} was added already. Change what it gets.`)
    }
    if (present.length >= MAX_ADDRESSES) {
      throw new DomainError('conflict', `There are ${MAX_ADDRESSES} addresses already. Remove one.`)
    }
    const data = { organizationId: owner, email: given, kinds: [...new Set(kinds)], portalPageUrl }
    const created = await tx.noticeAddress.create({ data })
    await requestConfirmation(tx, created.id)
    await audit(tx, actor, 'notice_address.added', created, { after: fields(created) })
    return created
  })
}

/**
 * Sets what the address gets. An address that the mail server rejected is tried again. One that is not confirmed, or was
 * unsubscribed, is sent another link. Throws `not_found` or `invalid`.
 */
export async function updateNoticeAddress(
  db: Db,
  owners: readonly AddressOwner[],
  id: string,
  { kinds, portalPageUrl }: NoticeAddressChange,
  actor: Actor,
): Promise<NoticeAddress> {
  requireKinds(kinds)
  const before = await findAddress(db, owners, id)
  requirePortalPage(before.organizationId, portalPageUrl ?? null)
  return await changeAddresses(db, before.organizationId, async (tx) => {
    await tx.noticeAddress.updateMany({
      where: { id: before.id, stopReason: 'rejected' },
      data: { stoppedAt: null, stopReason: null, rejection: null },
    })
    const after = await tx.noticeAddress.update({
      where: { id: before.id },
      data: { kinds: [...new Set(kinds)], ...(portalPageUrl !== undefined && { portalPageUrl }) },
    })
    if (after.confirmedAt === null || after.stopReason === 'unsubscribed') {
      await requestConfirmation(tx, after.id)
    }
    await audit(tx, actor, 'notice_address.updated', after, {
      before: fields(before),
      after: fields(after),
    })
    return after
  })
}

/** Throws `not_found`. */
export async function removeNoticeAddress(
  db: Db,
  owners: readonly AddressOwner[],
  id: string,
  actor: Actor,
): Promise<void> {
  const before = await findAddress(db, owners, id)
  await changeAddresses(db, before.organizationId, async (tx) => {
    await tx.noticeAddress.deleteMany({ where: { id: before.id } })
    await audit(tx, actor, 'notice_address.removed', before, { before: fields(before) })
  })
}

function requireKinds(kinds: readonly OperationalEventType[]): void {
  if (kinds.length > 0) return
  const detail = 'kinds must have at least one kind. To end all notices, remove the address.'
  throw invalid([{ path: ['kinds'], code: 'required', detail }])
}

function requirePortalPage(owner: AddressOwner, url: string | null): void {
  if (url === null) return
  const isUsable = URL.canParse(url) && /^https:\/\/[^\s#\p{C}]+$/u.test(url)
  if (owner !== null && isUsable && url.length <= MAX_URL_LENGTH) return
  const detail =
    owner === null
      ? 'portalPageUrl is only for addresses of an organization.'
      : `portalPageUrl must be an https:// URL without # and of at most ${MAX_URL_LENGTH.toLocaleString('en')} characters.`
  throw invalid([{ path: ['portalPageUrl'], code: 'invalid_format', detail }])
}

/** Addresses of the operator are in no organization, which the operator does not act for. */
async function changeAddresses<Result>(
  db: Db,
  owner: AddressOwner,
  change: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return owner === null
    ? await joinTransaction(db, change)
    : await actForOrganization(db, owner, change)
}

async function findAddress(db: Db, owners: readonly AddressOwner[], id: string) {
  const uuid = parseId('noticeAddress', id)
  const found = uuid && (await db.noticeAddress.findUnique({ where: { id: uuid } }))
  if (!found || !owners.includes(found.organizationId)) throw notFound('address', id)
  return found
}

function fields({ email, kinds, portalPageUrl }: NoticeAddress) {
  return { email, kinds, portalPageUrl }
}

async function audit(
  tx: Db,
  actor: Actor,
  action: 'notice_address.added' | 'notice_address.updated' | 'notice_address.removed',
  { id, organizationId }: NoticeAddress,
  changed: { readonly before?: object; readonly after?: object },
): Promise<void> {
  const subjectId = publicId('noticeAddress', id)
  await writeAuditEntry(tx, actor, { action, organizationId, subjectId, ...changed })
}

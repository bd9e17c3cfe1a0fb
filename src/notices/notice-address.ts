import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { EMAIL } from '../config/setting-parsers.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { NoticeAddress } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import { DomainError, type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { enqueue } from '../queue/jobs.ts'
import type { OperationalEventType } from './operational-event-types.ts'

/** The addresses of an organization. */
export const MAX_ADDRESSES = 20

const MAX_EMAIL_LENGTH = 254
const MAX_URL_LENGTH = 2_048

export interface NoticeAddressInput {
  readonly email: string
  readonly kinds: readonly OperationalEventType[]
  /** Missing: as before; of a new address, the console. */
  readonly portalPageUrl?: string | null | undefined
}

/** The addresses of an organization, oldest first. */
export async function listNoticeAddresses(
  db: Db,
  organizationId: string,
): Promise<NoticeAddress[]> {
  return await db.noticeAddress.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })
}

/**
 * Adds an address, or changes what it gets. One that is not confirmed is sent a link. Throws `invalid`, or `conflict` if the
 * organization has the maximum of addresses.
 */
export async function setNoticeAddress(
  db: Db,
  organizationId: string,
  input: NoticeAddressInput,
  actor: Actor,
): Promise<NoticeAddress> {
  const { email, kinds, portalPageUrl } = check(input)
  return await actForOrganization(db, organizationId, async (tx) => {
    const present = await listNoticeAddresses(tx, organizationId)
    const before = present.find((one) => one.email.toLowerCase() === email.toLowerCase())
    if (!before && present.length >= MAX_ADDRESSES) {
      throw new DomainError('conflict', `There are ${MAX_ADDRESSES} addresses already. Remove one.`)
    }
    const data = {
      kinds: [...new Set(kinds)],
      ...(portalPageUrl !== undefined && { portalPageUrl }),
      ...(!before?.confirmedAt && { confirmationRequestedAt: new Date(), rejection: null }),
    }
    const after = before
      ? await tx.noticeAddress.update({ where: { id: before.id }, data })
      : await tx.noticeAddress.create({ data: { organizationId, email, ...data } })
    if (!after.confirmedAt) {
      const addressId = publicId('noticeAddress', after.id)
      const job = { key: `confirm:${after.id}`, queue: 'posthorn:mail' }
      await enqueue(tx, 'send_confirmation', { addressId }, job)
    }
    await audit(tx, actor, before ? 'notice_address.updated' : 'notice_address.added', after, {
      ...(before && { before: fields(before) }),
      after: fields(after),
    })
    return after
  })
}

/** Throws `not_found`. */
export async function removeNoticeAddress(
  db: Db,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('noticeAddress', id)
  await actForOrganization(db, organizationId, async (tx) => {
    const before =
      uuid && (await tx.noticeAddress.findFirst({ where: { id: uuid, organizationId } }))
    if (!before) throw notFound('address', id)
    await tx.noticeAddress.deleteMany({ where: { id: before.id } })
    await audit(tx, actor, 'notice_address.removed', before, { before: fields(before) })
  })
}

function check({ email, kinds, portalPageUrl }: NoticeAddressInput): NoticeAddressInput {
  const issues: FieldIssue[] = []
  const reject = (field: string, code: FieldIssue['code'], detail: string) =>
    issues.push({ path: [field], code, detail: `${field} must ${detail}` })
  const given = email.trim()
  if (given.length > MAX_EMAIL_LENGTH || !EMAIL.test(given)) {
    const length = `of at most ${MAX_EMAIL_LENGTH} characters`
    reject('email', 'invalid_format', `be one e-mail address ${length}, such as ada@example.com.`)
  }
  if (kinds.length === 0) {
    reject('kinds', 'required', 'have at least one kind. To end all notices, remove the address.')
  }
  const isUsable =
    portalPageUrl == null ||
    (URL.canParse(portalPageUrl) &&
      /^https:\/\/[^\s#\p{C}]+$/u.test(portalPageUrl) &&
      portalPageUrl.length <= MAX_URL_LENGTH)
  if (!isUsable) {
    const detail = 'be an https:// URL without # and of at most 2,048 characters.'
    reject('portalPageUrl', 'invalid_format', detail)
  }
  if (issues.length > 0) throw invalid(issues)
  return { email: given, kinds, portalPageUrl }
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

import { SYSTEM } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'

export const UNSUBSCRIBE_PATH = '/notices/unsubscribe'

/** The ciphertext of another purpose is no token, as it belongs to a row. */
const PURPOSE = 'unsubscribe'

/** A link that can only end the mails to one address. It holds until the encryption key is removed. */
export function unsubscribeUrl(keyring: Keyring, publicUrl: string, addressUuid: string): string {
  const token = Buffer.from(keyring.encrypt(Buffer.from(addressUuid), PURPOSE))
  return `${publicUrl}${UNSUBSCRIBE_PATH}?token=${token.toString('base64url')}`
}

/** The uuid of the address, or null if Posthorn did not make the token. */
export function readUnsubscribeToken(keyring: Keyring, token: string): string | null {
  try {
    return keyring.decrypt(Buffer.from(token, 'base64url'), PURPOSE).toString()
  } catch {
    return null
  }
}

/** Idempotent, also if the address was removed. */
export async function unsubscribe(prisma: PrismaClient, addressUuid: string): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const address = await tx.noticeAddress.findUnique({ where: { id: addressUuid } })
    const { count } = await tx.noticeAddress.updateMany({
      where: {
        id: addressUuid,
        OR: [{ stopReason: null }, { stopReason: { not: 'unsubscribed' } }],
      },
      data: {
        stoppedAt: new Date(),
        stopReason: 'unsubscribed',
        rejection: null,
        confirmationRequestedAt: null,
      },
    })
    if (!address || count === 0) return
    await writeAuditEntry(tx, SYSTEM, {
      action: 'notice_address.unsubscribed',
      organizationId: address.organizationId,
      subjectId: publicId('noticeAddress', address.id),
    })
  })
}

/** The mail server rejected the address for good. */
export async function stopAddress(sql: Sql, addressUuid: string, answer: string): Promise<void> {
  await sql.query(
    `update posthorn.notice_addresses set stopped_at = now(), stop_reason = 'rejected', rejection = left($2, 500),
       confirmation_requested_at = null
     where id = $1 and stopped_at is null`,
    [addressUuid, answer.replaceAll('\0', '')],
  )
}

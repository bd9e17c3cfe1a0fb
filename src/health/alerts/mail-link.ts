import { SYSTEM } from '../../auth/access/actor.ts'
import { writeAuditEntry } from '../../auth/audit/audit-entry.ts'
import type { Keyring } from '../../auth/encryption/keyring.ts'
import type { PrismaClient } from '../../db/generated/prisma/client.ts'
import { publicId } from '../../db/ids.ts'

/** What the owner of an address can do by a link in a mail. */
export type LinkAction = 'confirm' | 'unsubscribe'

/** How long a link to confirm works. One to unsubscribe works until the encryption key is removed. */
export const CONFIRM_DAYS = 7

export const linkPath = (action: LinkAction) => `/alerts/${action}`

/** The ciphertext of another purpose is no token, as it belongs to a row. */
const purposeOf = (action: LinkAction) => `${action} address`

/** A link that can do one thing to one address. */
export function mailLink(
  { keyring, publicUrl }: { readonly keyring: Keyring; readonly publicUrl: string },
  action: LinkAction,
  addressUuid: string,
): string {
  const contents = Buffer.from(`${addressUuid} ${Date.now() + CONFIRM_DAYS * 86_400_000}`)
  const token = Buffer.from(keyring.encrypt(contents, purposeOf(action))).toString('base64url')
  return `${publicUrl}${linkPath(action)}?token=${token}`
}

/** The uuid of the address, or null if Posthorn did not make the token or the link has expired. */
export function readMailLink(keyring: Keyring, action: LinkAction, token: string): string | null {
  try {
    const [addressUuid = '', expiresAt] = keyring
      .decrypt(Buffer.from(token, 'base64url'), purposeOf(action))
      .toString()
      .split(' ')
    return action === 'unsubscribe' || Number(expiresAt) > Date.now() ? addressUuid : null
  } catch {
    return null
  }
}

/** The owner of the address wants its mails, or no more of them. False: the address to confirm was removed. */
export async function followMailLink(
  prisma: PrismaClient,
  action: LinkAction,
  addressUuid: string,
): Promise<boolean> {
  return await prisma.$transaction(async (tx) => {
    const isConfirmation = action === 'confirm'
    const getsMails = [{ confirmedAt: { not: null } }, { confirmationRequestedAt: { not: null } }]
    const [address] = await tx.alertAddress.updateManyAndReturn({
      where: { id: addressUuid, ...(!isConfirmation && { OR: getsMails }) },
      data: {
        confirmedAt: isConfirmation ? new Date() : null,
        confirmationRequestedAt: null,
        ...(isConfirmation && { rejection: null }),
      },
    })
    if (!address) return !isConfirmation
    await writeAuditEntry(tx, SYSTEM, {
      action: isConfirmation ? 'alert_address.confirmed' : 'alert_address.unsubscribed',
      organizationId: address.organizationId,
      subjectId: publicId('alertAddress', address.id),
    })
    return true
  })
}

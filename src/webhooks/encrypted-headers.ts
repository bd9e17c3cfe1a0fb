import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import { actForOrganization } from '../db/act-for.ts'
import { DomainError } from '../lib/errors.ts'
import { findWebhook } from './find-webhook.ts'
import type { ActingDeps } from './signing-secret.ts'

type Headers = Readonly<Record<string, string>>

/** Encrypts the custom headers of a webhook, which can contain credentials. Returns null for no headers. */
export function encryptHeaders(
  keyring: Keyring,
  headers: Headers | null,
  webhookUuid: string,
): Uint8Array<ArrayBuffer> | null {
  if (!headers || Object.keys(headers).length === 0) return null
  return keyring.encrypt(Buffer.from(JSON.stringify(headers)), webhookUuid)
}

/** The custom headers of a webhook, or `null` if no key decrypts them, so that one webhook cannot fail a list. */
export function readHeaders(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Headers | null {
  try {
    return ciphertext ? JSON.parse(keyring.decrypt(ciphertext, webhookUuid).toString()) : {}
  } catch {
    return null
  }
}

/** Replaces the value of a header, which can be a credential. */
export const MASK = '•••'

/** Replaces the name and value of headers that no key decrypts. */
export const UNREADABLE = '(unreadable)'

/**
 * The custom headers of a webhook with their values, which can be credentials. The audit log has an entry before the
 * caller has the values. Throws `not_found`, or `conflict` if no key decrypts the headers.
 */
export async function revealHeaders(
  { prisma, keyring, actor }: ActingDeps,
  organizationId: string,
  webhookId: string,
): Promise<Readonly<Record<string, string>>> {
  return await actForOrganization(prisma, organizationId, async (tx) => {
    const { id, headersCiphertext } = await findWebhook(tx, organizationId, webhookId)
    const headers = readHeaders(keyring, headersCiphertext, id)
    if (headers === null) {
      throw new DomainError(
        'conflict',
        'No encryption key decrypts the headers of this webhook. Set the headers again, or add the key that encrypted them.',
      )
    }
    await writeAuditEntry(tx, actor, {
      action: 'custom_headers.revealed',
      organizationId,
      subjectId: webhookId,
      after: { headers: Object.keys(headers) },
    })
    return headers
  })
}

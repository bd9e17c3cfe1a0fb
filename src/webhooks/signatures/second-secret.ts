import type { Webhook as WebhookRow } from '../../db/generated/prisma/client.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { ownerOfSecondSecret } from '../../encryption/second-secret-owner.ts'
import { type FieldIssue, fieldIssue } from '../../lib/errors.ts'
import type { GivenSecondSignature } from './signature-fields.ts'

export function encryptSecondSecret(keyring: Keyring, secret: string, webhookUuid: string) {
  return keyring.encrypt(Buffer.from(secret), ownerOfSecondSecret(webhookUuid))
}

/** Null if there is none, `unreadable` if no key of the ring decrypts it. */
export function readSecondSecret(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Buffer | null | 'unreadable' {
  if (ciphertext === null) return null
  try {
    return keyring.decrypt(ciphertext, ownerOfSecondSecret(webhookUuid))
  } catch {
    return 'unreadable'
  }
}

/** The stored secret, in a change that gives none. */
export function keptSecret(
  keyring: Keyring,
  before: Pick<WebhookRow, 'id' | 'secondSecretCiphertext'>,
): string | null {
  const stored = readSecondSecret(keyring, before.secondSecretCiphertext, before.id)
  return stored === null || stored === 'unreadable' ? null : stored.toString()
}

/** The issue of a second signature that has neither a given nor a stored secret. */
export function secretIssues(
  given: GivenSecondSignature | null | undefined,
  kept: string | null,
): FieldIssue[] {
  if (!given || given.secret != null || kept !== null) return []
  return [
    fieldIssue(
      ['secondSignature', 'secret'],
      'required',
      'is required: there is no stored secret to keep.',
    ),
  ]
}

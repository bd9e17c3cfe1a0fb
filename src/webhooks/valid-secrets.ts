import type { SigningSecret as SigningSecretRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError } from '../lib/errors.ts'
import { formatSecret } from '../receiver/sign.ts'
import type { SigningSecret } from './signing-secret.ts'

/** The current secret among a webhook's secrets. Throws `not_found` if the webhook was deleted while it was read. */
export function currentSecret(keyring: Keyring, rows: readonly SigningSecretRow[]): SigningSecret {
  const row = rows.find(({ expiresAt }) => expiresAt === null)
  if (!row) throw new DomainError('not_found', 'The webhook was deleted, with its signing secret.')
  return decryptSecret(keyring, row)
}

/** The rotated secrets among a webhook's secrets that are still valid, newest first. */
export function expiringSecrets(
  keyring: Keyring,
  rows: readonly SigningSecretRow[],
  now = new Date(),
): SigningSecret[] {
  return rows
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
    .toSorted((a, b) => Number(b.expiresAt) - Number(a.expiresAt))
    .map((row) => decryptSecret(keyring, row))
}

function decryptSecret(keyring: Keyring, row: SigningSecretRow): SigningSecret {
  const { id, keyCiphertext, createdAt, expiresAt } = row
  return { key: formatSecret(keyring.decrypt(keyCiphertext, id)), createdAt, expiresAt }
}

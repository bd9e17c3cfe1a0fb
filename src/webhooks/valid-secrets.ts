import type { SigningSecret as SigningSecretRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { formatSecret } from '../receiver/sign.ts'
import type { SigningSecret } from './signing-secret.ts'

/** The current secret among a webhook's secrets. Every webhook has one until its deletion. */
export function currentSecret(
  keyring: Keyring,
  rows: readonly SigningSecretRow[],
): SigningSecret | null {
  const row = rows.find(({ expiresAt }) => expiresAt === null)
  return row ? decryptSecret(keyring, row) : null
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

import type { SigningSecret as SigningSecretRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { formatSecret } from '../receiver/sign.ts'
import type { SigningSecret } from './signing-secret.ts'

/** Of the secrets of one webhook, the one that signs. There is one until the webhook is deleted. */
export function currentSecret(
  keyring: Keyring,
  rows: readonly SigningSecretRow[],
): SigningSecret | null {
  const row = rows.find(({ expiresAt }) => expiresAt === null)
  return row ? revealed(keyring, row) : null
}

/** Of the secrets of one webhook, those rotated out that are still valid, newest first. */
export function expiringSecrets(
  keyring: Keyring,
  rows: readonly SigningSecretRow[],
  now = new Date(),
): SigningSecret[] {
  return rows
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
    .toSorted((a, b) => Number(b.expiresAt) - Number(a.expiresAt))
    .map((row) => revealed(keyring, row))
}

function revealed(keyring: Keyring, row: SigningSecretRow): SigningSecret {
  const { id, keyCiphertext, createdAt, expiresAt } = row
  return { key: formatSecret(keyring.decrypt(keyCiphertext, id)), createdAt, expiresAt }
}

import { z } from 'zod'
import { formatSecret, generateSigningKey, parseSecret } from '../../packages/receiver/src/sign.ts'
import type { Actor } from '../auth/access/actor.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type {
  PrismaClient,
  SigningSecret as SigningSecretRow,
} from '../db/generated/prisma/client.ts'
import { mintId, parseId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import { findWebhook } from './find-webhooks.ts'

/** The rule of a signing secret, in the words of an API description. */
export const SIGNING_SECRET_RULE = '`whsec_` and 24 to 64 bytes in base64 with padding'

/** A signing secret that a caller gives. No message has the secret. */
export const signingSecretRule = z
  .string('must be a string')
  .refine(isSecret, `must be ${SIGNING_SECRET_RULE.replaceAll('`', '')}`)

function isSecret(text: string): boolean {
  try {
    const { length } = parseSecret(text)
    return length >= 24 && length <= 64
  } catch {
    return false
  }
}

/** How long an old secret stays valid after a rotation, as documented for receivers. */
const OLD_SECRET_VALID_MS = 24 * 60 * 60 * 1_000

/**
 * Old secrets of one webhook that are still valid. A rotation never waits for one to expire, because an urgent one cannot:
 * the oldest ends early.
 */
export const MAX_EXPIRING_SECRETS = 5

/** A decrypted signing secret. `expiresAt` is null for the current secret. */
export interface SigningSecret {
  readonly key: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/** What reads or changes secrets and headers. */
export interface ActingDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Creates the current secret of a webhook that has none: the given one, or a new one. */
export async function addSigningSecret(
  db: Db,
  keyring: Keyring,
  webhookUuid: string,
  given: string | null = null,
): Promise<SigningSecret> {
  const key = given === null ? generateSigningKey() : parseSecret(given)
  const id = parseId('signingSecret', mintId('signingSecret')) as string
  const { createdAt, expiresAt } = await db.signingSecret.create({
    data: { id, webhookId: webhookUuid, keyCiphertext: keyring.encrypt(key, id) },
  })
  return { key: formatSecret(key), createdAt, expiresAt }
}

export function decryptSecret(keyring: Keyring, row: SigningSecretRow): SigningSecret {
  const { id, keyCiphertext, createdAt, expiresAt } = row
  return { key: formatSecret(keyring.decrypt(keyCiphertext, id)), createdAt, expiresAt }
}

/** The key of a secret, or null if no encryption key decrypts it. */
export function readKey(keyring: Keyring, ciphertext: Uint8Array, secretId: string): Buffer | null {
  try {
    return keyring.decrypt(ciphertext, secretId)
  } catch {
    return null
  }
}

/** Reveals the current secret of a webhook, which signs its deliveries. The audit log has an entry. */
export async function revealSigningSecret(
  deps: ActingDeps,
  organizationId: string,
  webhookId: string,
): Promise<SigningSecret> {
  const row = await actForOrganization(deps.prisma, organizationId, async (tx) => {
    const { id } = await findWebhook(tx, organizationId, webhookId)
    return await tx.signingSecret.findFirstOrThrow({ where: { webhookId: id, expiresAt: null } })
  })
  const current = decryptSecret(deps.keyring, row)
  await writeAuditEntry(deps.prisma, deps.actor, {
    action: 'signing_secret.revealed',
    organizationId,
    subjectId: webhookId,
  })
  return current
}

/**
 * Creates a new secret, which signs every attempt after the commit, including retries. The old secret stays valid for
 * 24 hours, while receivers switch to the new one, and is then deleted. Of more than five old secrets, the oldest are
 * deleted at once. `given` is the new secret; null: a random one. Throws `invalid` for a given one that is none.
 */
export async function rotateSigningSecret(
  { prisma, keyring, actor }: ActingDeps,
  organizationId: string,
  webhookId: string,
  given: string | null = null,
): Promise<SigningSecret> {
  const { secret } = parseInput(z.object({ secret: signingSecretRule.nullable() }), {
    secret: given,
  })
  const { id } = await findWebhook(prisma, organizationId, webhookId)
  return await actForOrganization(prisma, organizationId, async (tx) => {
    // The update locks the webhook, which serializes its rotations and excludes a concurrent deletion.
    const { count } = await tx.webhook.updateMany({
      where: { id, deletedAt: null },
      data: { revision: { increment: 1 } },
    })
    if (count === 0) throw notFound('webhook', webhookId)
    const oldExpiresAt = new Date(Date.now() + OLD_SECRET_VALID_MS)
    await tx.signingSecret.updateMany({
      where: { webhookId: id, expiresAt: null },
      data: { expiresAt: oldExpiresAt },
    })
    await tx.$executeRaw`
      delete from posthorn.signing_secrets where id in (
        select id from posthorn.signing_secrets where webhook_id = ${id}::uuid and expires_at is not null
        order by expires_at desc, id desc offset ${MAX_EXPIRING_SECRETS})`
    await writeAuditEntry(tx, actor, {
      action: 'signing_secret.rotated',
      organizationId,
      subjectId: webhookId,
    })
    const data = JSON.stringify({ old_secret_expires_at: oldExpiresAt })
    await tx.$executeRaw`
      select posthorn.alert(${organizationId}::uuid, ${id}::uuid, 'posthorn.secret.rotated', ${data}::jsonb)`
    return await addSigningSecret(tx, keyring, id, secret)
  })
}

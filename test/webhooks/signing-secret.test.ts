import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import {
  deleteExpiredSecrets,
  MAX_EXPIRING_SECRETS,
  revealSigningSecret,
  rotateSigningSecret,
} from '../../src/webhooks/signing-secret.ts'
import { createWebhook, deleteWebhook } from '../../src/webhooks/webhook.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { signingSecretsOf } from '../support/signing-secrets.ts'

const database = await useTestDatabase()
const { organizationId } = await createTenant(database.prisma)
const deps = {
  prisma: database.prisma,
  keyring: createKeyring([randomBytes(32)]),
  guard: createAddressGuard([]),
  actor: SYSTEM,
}

test('contract 8: the old secret stays valid for 24 hours after rotation, and is then deleted', async () => {
  const webhook = await register()
  const old = await revealSigningSecret(deps, organizationId, webhook)
  const rotated = await rotateSigningSecret(deps, organizationId, webhook)
  const [current, expiring] = await signingSecretsOf(deps, webhook)
  expect(current).toEqual(rotated)
  expect(expiring?.key).toBe(old.key)
  const validMs = Number(expiring?.expiresAt) - Date.now()
  expect(validMs / 3_600_000).toBeCloseTo(24, 2)

  expect(await deleteExpiredSecrets(database.pool)).toBe(0)
  await database.pool.query(
    `update posthorn.signing_secrets set expires_at = now() - interval '1 second' where expires_at is not null`,
  )
  expect(await signingSecretsOf(deps, webhook)).toEqual([rotated])
  expect(await deleteExpiredSecrets(database.pool)).toBe(1)
  expect(await database.prisma.signingSecret.count()).toBe(1)
})

test('a sixth rotation within 24 hours succeeds, and ends the oldest secret at once', async () => {
  const [webhook, other] = [await register(), await register()]
  await rotateSigningSecret(deps, organizationId, other)
  const keys = [(await revealSigningSecret(deps, organizationId, webhook)).key]
  for (let i = 0; i < 6; i++) {
    keys.unshift((await rotateSigningSecret(deps, organizationId, webhook)).key)
  }
  const valid = await signingSecretsOf(deps, webhook)
  expect(valid.map(({ key }) => key)).toEqual(keys.slice(0, 1 + MAX_EXPIRING_SECRETS))
  expect(await signingSecretsOf(deps, other)).toHaveLength(2)
})

test('a secret is encrypted at rest, and deleting its webhook deletes it', async () => {
  const webhook = await register()
  const { key } = await revealSigningSecret(deps, organizationId, webhook)
  const raw = Buffer.from(key.slice('whsec_'.length), 'base64')
  const { rows } = await database.pool.query('select key_ciphertext from posthorn.signing_secrets')
  expect(rows.some((row) => row.key_ciphertext.includes(raw))).toBe(false)

  const before = await database.prisma.signingSecret.count()
  await deleteWebhook(deps, organizationId, webhook)
  expect(await database.prisma.signingSecret.count()).toBe(before - 1)
})

async function register(): Promise<string> {
  const { id } = await createWebhook(deps, organizationId, {
    url: 'https://example.com/hooks',
    eventSubscriptions: [JOINED],
  })
  return id
}

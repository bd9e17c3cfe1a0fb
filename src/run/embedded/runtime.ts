import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { loadConfig } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import { openEmbeddedPostgres } from '../../db/embedded/embedded-postgres.ts'
import { ensureGeneratedSecret } from '../../lib/generated-secret.ts'
import { ensureLocalAuthority } from './local-authority.ts'

/**
 * The settings, with the database, the keys and the trusted authorities that they leave open filled in. In embedded mode,
 * starts the Postgres of the data directory or connects to it, and creates the missing files there. A command without
 * `requireEncryptionKeys` has no keys of another Postgres.
 */
export async function openRuntime(
  ...given: Parameters<typeof loadConfig>
): Promise<Settings & AsyncDisposable> {
  const { config, secrets } = loadConfig(...given)
  const { databaseUrl, encryptionKeys } = secrets
  if (databaseUrl !== null) {
    return {
      config,
      secrets: { ...secrets, databaseUrl, encryptionKeys: encryptionKeys ?? [] },
      async [Symbol.asyncDispose]() {},
    }
  }
  await using started = new AsyncDisposableStack()
  const postgres = started.use(await openEmbeddedPostgres(config.dataDir))
  const generated = encryptionKeys ?? [await generatedEncryptionKey(config.dataDir)]
  const authority = await ensureLocalAuthority(config.dataDir)
  const resources = started.move()
  return {
    config,
    secrets: { ...secrets, databaseUrl: postgres.url, encryptionKeys: generated },
    trustedAuthorities: [authority.certificatePem],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function generatedEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = path.join(dataDir, 'encryption-key')
  const text = await ensureGeneratedSecret(file, () => randomBytes(32).toString('base64'))
  return Buffer.from(text, 'base64')
}

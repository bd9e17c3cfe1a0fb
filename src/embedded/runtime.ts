import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Config, loadConfig, type Secrets } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import { type KeepRunningHandlers, openEmbeddedPostgres } from '../db/embedded/embedded-postgres.ts'
import { ensureGeneratedSecret } from '../lib/generated-secret.ts'
import { ensureLocalAuthority } from './local-authority.ts'

/** The settings with everything they leave to be found or made: the database, the keys, the authorities to trust. */
export interface Runtime extends Settings, AsyncDisposable {
  /** In embedded mode, starts Postgres again whenever it was killed, for as long as this process runs. */
  keepDatabaseRunning(handlers: KeepRunningHandlers): void
}

/** In embedded mode this starts or joins the Postgres of the data directory, and makes what is missing there. */
export async function openRuntime(environment: Parameters<typeof loadConfig>[0]): Promise<Runtime> {
  const { config, secrets } = loadConfig(environment)
  return config.database === 'embedded'
    ? await embeddedRuntime(config, secrets)
    : externalRuntime(config, secrets)
}

function externalRuntime(
  config: Config,
  { databaseUrl, encryptionKeys, egressProxy }: Secrets,
): Runtime {
  if (databaseUrl === null || encryptionKeys === null)
    throw new Error('The configuration is incomplete.')
  return {
    config,
    secrets: { databaseUrl, encryptionKeys, egressProxy },
    keepDatabaseRunning() {},
    async [Symbol.asyncDispose]() {},
  }
}

async function embeddedRuntime(config: Config, secrets: Secrets): Promise<Runtime> {
  await using started = new AsyncDisposableStack()
  const postgres = started.use(await openEmbeddedPostgres(config.dataDir))
  const encryptionKeys = secrets.encryptionKeys ?? [await generatedEncryptionKey(config.dataDir)]
  const authority = await ensureLocalAuthority(config.dataDir)
  const resources = started.move()
  return {
    config,
    secrets: { databaseUrl: postgres.localUrl, encryptionKeys, egressProxy: secrets.egressProxy },
    trustedAuthorities: [authority.certificatePem],
    keepDatabaseRunning: (handlers) => postgres.keepRunning(handlers),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function generatedEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = path.join(dataDir, 'encryption-key')
  const text = await ensureGeneratedSecret(file, () => randomBytes(32).toString('base64'))
  return Buffer.from(text, 'base64')
}

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Config, loadConfig, type Secrets } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import { type KeepRunningHandlers, openEmbeddedPostgres } from '../db/embedded/embedded-postgres.ts'
import { ensureGeneratedSecret } from '../lib/generated-secret.ts'
import { ensureLocalAuthority } from './local-authority.ts'

/** The settings, with the database, the keys and the trusted authorities that they leave open filled in. */
export interface Runtime extends Settings, AsyncDisposable {
  /** In embedded mode, restarts Postgres whenever it is killed, as long as this process runs. */
  keepDatabaseRunning(handlers: KeepRunningHandlers): void
}

/** In embedded mode, starts the Postgres of the data directory or connects to it, and creates the missing files there. */
export async function openRuntime(environment: Parameters<typeof loadConfig>[0]): Promise<Runtime> {
  const { config, secrets } = loadConfig(environment)
  return config.database === 'embedded'
    ? await embeddedRuntime(config, secrets)
    : externalRuntime(config, secrets)
}

/** The database of the settings, for commands that need no encryption keys. */
interface RuntimeDatabase extends AsyncDisposable {
  readonly config: Config
  readonly databaseUrl: string
  readonly poolerUrl: string | null
}

/** In embedded mode, starts the Postgres of the data directory or connects to it. */
export async function openRuntimeDatabase(
  environment: Parameters<typeof loadConfig>[0],
): Promise<RuntimeDatabase> {
  const { config, secrets } = loadConfig(environment, { requireEncryptionKeys: false })
  const { databaseUrl, poolerUrl } = secrets
  if (databaseUrl !== null) {
    return { config, databaseUrl, poolerUrl, async [Symbol.asyncDispose]() {} }
  }
  const postgres = await openEmbeddedPostgres(config.dataDir)
  return {
    config,
    databaseUrl: postgres.url,
    poolerUrl: null,
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  }
}

function externalRuntime(
  config: Config,
  { databaseUrl, encryptionKeys, ...others }: Secrets,
): Runtime {
  if (databaseUrl === null || encryptionKeys === null)
    throw new Error('The configuration is incomplete.')
  return {
    config,
    secrets: { ...others, databaseUrl, encryptionKeys },
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
    secrets: { ...secrets, databaseUrl: postgres.url, encryptionKeys },
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

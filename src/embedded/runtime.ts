import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { SCOPES } from '../access/scope.ts'
import { createApiKey } from '../api-keys/api-key.ts'
import { type Config, loadConfig, type Secrets } from '../config/config.ts'
import { type Db, inTransaction } from '../db/client.ts'
import { type KeepRunningHandlers, openEmbeddedPostgres } from '../db/embedded/embedded-postgres.ts'
import { DomainError } from '../lib/errors.ts'
import {
  ensureGeneratedSecret,
  readGeneratedSecret,
  replaceGeneratedSecret,
} from '../lib/generated-secret.ts'
import { createOrganization } from '../organizations/organization.ts'
import type { Services, Settings } from '../services.ts'
import { createSignInLink } from '../sessions/sign-in-link.ts'
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

/** The file with the token of the API key that embedded mode created. */
export function embeddedApiKeyFile(dataDir: string): string {
  return path.join(dataDir, 'api-key')
}

/**
 * On the first start in embedded mode, creates an organization and an API key with all scopes, and returns its token.
 * Later starts return `null`. One transaction creates both and writes the token to its file, so that the next start
 * can repeat an interrupted first one.
 */
export async function provisionEmbedded(db: Db, dataDir: string): Promise<string | null> {
  if ((await db.organization.count()) > 0) return null
  return await inTransaction(db, async (tx) => {
    // If two processes start together, the second waits here and then finds the organization of the first.
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('posthorn.provision', 0))`
    if ((await tx.organization.count()) > 0) return null
    const organization = await createOrganization(tx, { name: 'My organization' })
    const { token } = await createApiKey(tx, {
      organizationId: organization.id,
      name: 'Created on the first start',
      scopes: SCOPES,
    })
    await replaceGeneratedSecret(embeddedApiKeyFile(dataDir), token)
    return token
  })
}

/** The token of a link that signs in to the console once with that key. `null` if the key is invalid or its file missing. */
export async function embeddedSignInLink(
  { authenticate, database }: Pick<Services, 'authenticate' | 'database'>,
  dataDir: string,
): Promise<string | null> {
  const token = await readGeneratedSecret(embeddedApiKeyFile(dataDir))
  if (token === null) return null
  try {
    const { keyId } = await authenticate(`Bearer ${token}`)
    return await createSignInLink(database.pool, keyId)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthenticated') return null
    throw error
  }
}

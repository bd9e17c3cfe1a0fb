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

/** Where the embedded mode keeps the token of the key it made. */
export function embeddedApiKeyFile(dataDir: string): string {
  return path.join(dataDir, 'api-key')
}

/**
 * On the first start of the embedded mode, an organization and a key that may do everything. Answers the token only
 * then; later starts answer `null`. Both are made and the token is kept, or neither: a start that was cut off is made up
 * for by the next one.
 */
export async function provisionEmbedded(db: Db, dataDir: string): Promise<string | null> {
  if ((await db.organization.count()) > 0) return null
  return await inTransaction(db, async (tx) => {
    // Of two processes that start together, the second finds what the first has made.
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

/** What signs in to the console once with that key. Null when it is no longer valid, or its file is gone. */
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

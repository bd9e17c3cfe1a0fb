import { generateSigningKey } from '../../packages/receiver/src/sign.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { mintId, parseId } from '../../src/db/ids.ts'
import { openServices, type Services } from '../../src/run/services.ts'
import { createTenant } from '../support/factories.ts'
import { ENCRYPTION_KEY } from './posthorn-server.ts'
import type { Behaviour } from './receiver.ts'

/** An organization with an API key that may publish and read. */
export type BenchTenant = Awaited<ReturnType<typeof createTenant>>

/** The services of a database, with the settings of the measured processes. */
export function openBenchServices(databaseUrl: string): Services {
  const { config, secrets } = loadConfig({
    DATABASE_URL: databaseUrl,
    POSTHORN_ENCRYPTION_KEYS: ENCRYPTION_KEY,
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8',
    POSTHORN_LOG_LEVEL: 'error',
  })
  return openServices({ config, secrets: secrets as Settings['secrets'] })
}

export async function createBenchTenant({ database }: Services): Promise<BenchTenant> {
  const tenant = await createTenant(database.prisma)
  // The bench publishes more than a worker delivers.
  await database.pool.query('update posthorn.api_keys set deliveries_per_second = 1000000')
  return tenant
}

/** Registers webhooks that each subscribe to an event type of their own. Returns the types. */
export async function addWebhooks(
  { webhooks: { keyring }, database }: Services,
  { organizationId }: BenchTenant,
  receiverUrl: string,
  behaviour: Behaviour,
  { count = 1 } = {},
): Promise<string[]> {
  const types = Array.from({ length: count }, (_, i) => `bench.${behaviour}_${i + 1}`)
  await database.pool.query(
    `insert into posthorn.event_types (name, description)
     select name, 'Created by the bench.' from unnest($1::text[]) as name`,
    [types],
  )
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
     select $1, $2 || n, true, array[type] from unnest($3::text[]) with ordinality as added (type, n)
     returning id`,
    [organizationId, `${receiverUrl}/${behaviour}/`, types],
  )
  const secretIds = rows.map(() => parseId('signingSecret', mintId('signingSecret')) as string)
  await database.pool.query(
    `insert into posthorn.signing_secrets (webhook_id, id, key_ciphertext)
     select * from unnest($1::uuid[], $2::uuid[], $3::bytea[])`,
    [
      rows.map(({ id }) => id),
      secretIds,
      secretIds.map((id) => Buffer.from(keyring.encrypt(generateSigningKey(), id))),
    ],
  )
  return types
}

import { startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { publicId } from '../../src/ids.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { openServices, type Settings } from '../../src/services.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import type { BenchReceiver } from './bench-receiver.ts'

export interface Drain {
  readonly perSecond: number
  readonly residentMb: number
  readonly statementsPerDelivery: number
}

/** Queues deliveries with no worker running, then measures how fast one drains them, every attempt recorded. */
export async function measureDrain(
  databaseUrl: string,
  receiver: BenchReceiver,
  data: unknown,
  count: number,
): Promise<Drain> {
  const settings = benchSettings(databaseUrl, receiver)
  await using services = openServices(settings)
  const { prisma, pool } = services.database
  await migrate(pool)
  const organization = await createOrganization(prisma, { name: 'Bench' })
  const type = 'event_attendee.joined_event'
  await createWebhook(services.webhooks, organization.id, {
    url: receiver.url,
    eventSubscriptions: [type],
    enabled: true,
  })
  for (let queued = 0; queued < count; queued += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - queued) }, () => ({ type, data }))
    await pool.query('select count(*) from posthorn.publish_events($1, $2)', [
      publicId('organization', organization.id),
      JSON.stringify(events),
    ])
  }
  await pool.query('vacuum analyze')

  const before = await transactions(databaseUrl)
  const received = await receiver.received()
  await using _app = await startApp(settings, 'worker')
  const startedAt = performance.now()
  while ((await receiver.received()) - received < count) await new Promise((r) => setTimeout(r, 10))
  while ((await pendingJobs(pool)) > 0) await new Promise((r) => setTimeout(r, 10))
  const seconds = (performance.now() - startedAt) / 1_000
  const residentMb = process.memoryUsage.rss() / 1_000_000
  const statementsPerDelivery = ((await transactions(databaseUrl)) - before) / count
  return { perSecond: count / seconds, residentMb, statementsPerDelivery }
}

export function benchSettings(databaseUrl: string, receiver: BenchReceiver): Settings {
  const { config, secrets } = loadConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    POSTHORN_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8',
    POSTHORN_LOG_LEVEL: 'error',
  })
  return {
    config,
    secrets: secrets as Settings['secrets'],
    trustedAuthorities: [receiver.authority],
  }
}

async function pendingJobs(sql: Sql): Promise<number> {
  const { rows } = await sql.query('select count(*)::int as n from graphile_worker.jobs')
  return rows[0].n
}

/** Every statement of the worker is a transaction of its own, so the server's count of them counts statements. */
async function transactions(databaseUrl: string): Promise<number> {
  await using database = openDatabase(databaseUrl, { maxConnections: 1 })
  const { rows } = await database.pool.query(
    'select xact_commit::int as n from pg_stat_database where datname = current_database()',
  )
  return rows[0].n
}

import { readFile } from 'node:fs/promises'
import { type Authenticate, createAuthenticate } from './api-keys/authenticate.ts'
import type { Config, Secrets } from './config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { migrate } from './db/migrate.ts'
import { cancelDeliveries } from './deliveries/cancel-deliveries.ts'
import { createLoadDelivery } from './deliveries/load-delivery.ts'
import { createRecordAttempt } from './deliveries/record-attempt.ts'
import { createSetAside } from './deliveries/set-aside.ts'
import { createKeyring } from './encryption.ts'
import { createCatalogue } from './events/event-type.ts'
import { createPublishEvents, type PublishEvents } from './events/publish-events.ts'
import { createHttpSender, type HttpSender } from './outbound/http-sender.ts'
import { createAddressGuard } from './outbound/public-address.ts'
import { enqueue } from './queue/enqueue.ts'
import { createRoutes, startServer } from './server.ts'
import { createDeliveryReporter } from './telemetry/events.ts'
import { createLogger, type Logger } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { VERSION } from './version.ts'
import { createFindSendOptions } from './webhooks/send-options.ts'
import type { WebhookDeps } from './webhooks/webhook.ts'
import { startWorker, type Worker } from './worker/runner.ts'
import { createTasks } from './worker/tasks.ts'

/** What one process of Posthorn is for. */
export type Role = 'all' | 'api' | 'worker'

export interface AppOptions {
  readonly config: Config
  readonly secrets: Secrets & {
    readonly databaseUrl: string
    readonly encryptionKeys: readonly Buffer[]
  }
  /** Certificate authorities to trust besides those of the configuration, as PEM. */
  readonly trustedAuthorities?: readonly string[]
  readonly role?: Role
}

/** What the transports and commands work with. */
export interface Services extends AsyncDisposable {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly database: Database
  readonly authenticate: Authenticate
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
}

/** A running process. Disposing of it finishes what is in flight, then lets go of the database. */
export interface App extends AsyncDisposable {
  readonly services: Services
  /** Where it answers. */
  readonly url: string
}

/** Everything but the socket and the worker: enough for a command. */
export function openServices({ config, secrets }: AppOptions): Services {
  const logger = createLogger(config.logLevel)
  const database = openDatabase(secrets.databaseUrl, {
    maxConnections: 20,
    onError: (error) => logger.warn({ error }, 'a connection to Postgres broke'),
  })
  return {
    logger,
    metrics: createMetrics(),
    database,
    authenticate: createAuthenticate(database.pool),
    webhooks: {
      prisma: database.prisma,
      keyring: createKeyring(secrets.encryptionKeys),
      guard: createAddressGuard(config.egressAllow),
    },
    publishEvents: createPublishEvents(database.pool, createCatalogue(database.pool)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Migrates, then runs the API, the worker or both. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, role = 'all' } = options
  await using started = new AsyncDisposableStack()
  const services = started.use(openServices(options))
  await migrate(services.database.pool)

  let worker: Worker | null = null
  if (role !== 'api') {
    const sender = started.use(await openSender(options))
    worker = started.use(await startDelivering(services, sender, config))
  }
  const server = started.use(
    await startServer(createRoutes(services, config, role, worker), config),
  )
  if (config.egressAllow.length > 0) {
    services.logger.warn(
      { allow: config.egressAllow },
      'deliveries to these address ranges pass the address guard',
    )
  }
  const resources = started.move()
  return {
    services,
    url: server.url,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openSender({
  config,
  secrets,
  trustedAuthorities = [],
}: AppOptions): Promise<HttpSender> {
  const file = config.egressCaFile
  return createHttpSender({
    guard: createAddressGuard(config.egressAllow),
    userAgent: `Posthorn/${VERSION}`,
    caPem: [...trustedAuthorities, ...(file ? [await readFile(file, 'utf8')] : [])],
    acknowledgeTimeoutMs: config.attemptTimeoutMs,
    ...(secrets.egressProxy !== null && { proxyUrl: secrets.egressProxy }),
  })
}

async function startDelivering(
  { database, logger, metrics, webhooks }: Services,
  sender: HttpSender,
  config: Config,
): Promise<Worker> {
  const { pool } = database
  const attempt = {
    load: createLoadDelivery(pool),
    findSendOptions: createFindSendOptions(pool, webhooks.keyring),
    sender,
    record: createRecordAttempt(pool),
    setAside: createSetAside(pool),
    cancel: async (uuid: string) => void (await cancelDeliveries(pool, [uuid])),
    report: createDeliveryReporter(logger, metrics.attempts),
    retryScheduleMs: config.retryScheduleMs,
    headerPrefix: config.headerPrefix,
  }
  const tasks = createTasks({ database, attempt, retentionMs: config.retentionMs, logger })
  const worker = await startWorker(database, tasks, { concurrency: config.concurrency, logger })
  // Its time may have come while no process ran.
  await enqueue(database.prisma, 'maintain', {}, { key: 'maintain' })
  return worker
}

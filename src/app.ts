import { readFile } from 'node:fs/promises'
import type { Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { cancelDeliveries } from './deliveries/cancel-deliveries.ts'
import { createLoadDelivery } from './deliveries/load-delivery.ts'
import { createRecordAttempt } from './deliveries/record-attempt.ts'
import { createSetAside } from './deliveries/set-aside.ts'
import { createHttpSender, type HttpSender } from './outbound/http-sender.ts'
import { createAddressGuard } from './outbound/public-address.ts'
import { enqueue } from './queue/enqueue.ts'
import { createRoutes, type Role, startServer } from './server.ts'
import { openServices, type Services, type Settings } from './services.ts'
import { createDeliveryReporter } from './telemetry/events.ts'
import { USER_AGENT } from './version.ts'
import { createFindSendOptions } from './webhooks/send-options.ts'
import { startWorker, type Worker } from './worker/runner.ts'
import { createTasks } from './worker/tasks.ts'

/** A running process. Disposing of it finishes what is in flight, then lets go of the database. */
export interface App extends AsyncDisposable {
  readonly services: Services
  /** Where it answers. */
  readonly url: string
}

/** Migrates, then runs the API, the worker or both. */
export async function startApp(settings: Settings, role: Role = 'all'): Promise<App> {
  const { config } = settings
  await using started = new AsyncDisposableStack()
  const services = started.use(openServices(settings))
  await migrate(services.database.pool)

  let worker: Worker | null = null
  if (role !== 'api') {
    const sender = started.use(await openSender(settings))
    worker = started.use(await startDelivering(services, sender, config))
  }
  const server = started.use(
    await startServer(createRoutes(services, config, role, worker), config),
  )
  // Before the server, which waits for its responses: a stream has no end of its own.
  started.use(services.live)
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
}: Settings): Promise<HttpSender> {
  const file = config.egressCaFile
  return createHttpSender({
    guard: createAddressGuard(config.egressAllow),
    userAgent: USER_AGENT,
    caPem: [...trustedAuthorities, ...(file ? [await readFile(file, 'utf8')] : [])],
    acknowledgeTimeoutMs: config.attemptTimeoutMs,
    ...(secrets.egressProxy !== null && { proxyUrl: secrets.egressProxy }),
  })
}

async function startDelivering(
  { database, logger, metrics, webhooks, announce }: Services,
  sender: HttpSender,
  config: Config,
): Promise<Worker> {
  const { pool } = database
  const attempt = {
    load: createLoadDelivery(pool),
    findSendOptions: createFindSendOptions(pool, webhooks.keyring),
    sender,
    record: createRecordAttempt(pool, announce),
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

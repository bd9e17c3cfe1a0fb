import { readFile } from 'node:fs/promises'
import { isDatabaseUnavailable } from './db/faults.ts'
import { startHeartbeat } from './db/heartbeat.ts'
import { migrate } from './db/migrate.ts'
import { cancelDeliveries } from './deliveries/cancel-deliveries.ts'
import { createLoadDelivery } from './deliveries/load-delivery.ts'
import { recordAtLast } from './deliveries/record-at-last.ts'
import { createRecordAttempt } from './deliveries/record-attempt.ts'
import { deliveryHeaderNames } from './deliveries/signed-request.ts'
import { createFlow, type Flow } from './flow/flow.ts'
import { createHttpSender, type HttpSender } from './outbound/http-sender.ts'
import { createAddressGuard } from './outbound/public-address.ts'
import { enqueue } from './queue/enqueue.ts'
import { createRoutes, type Role, startServer } from './server.ts'
import { openServices, type Services, type Settings } from './services.ts'
import { requireListedKeys } from './stored-secrets.ts'
import { createDeliveryReporter, createOrphanReporter } from './telemetry/events.ts'
import { USER_AGENT } from './version.ts'
import { createIsCurrent } from './webhooks/is-current.ts'
import { createFindSendOptions } from './webhooks/send-options.ts'
import { startWorker, type Worker } from './worker/runner.ts'
import { createTasks } from './worker/tasks.ts'

/** A running process. Disposing of it finishes what is in flight, then lets go of the database. */
export interface App extends AsyncDisposable {
  readonly services: Services
  /** Where it answers. */
  readonly url: string
  /** Lets a shutdown not wait for the attempts in flight: their jobs are given back. */
  hurry(): void
}

/**
 * Migrates, then runs the API, the worker or both. It listens from then on, and is ready once `hasStarted` says so: the
 * caller may have more to do that can fail.
 */
export async function startApp(
  settings: Settings,
  role: Role = 'all',
  hasStarted = () => true,
  restartOtherWorkers = false,
): Promise<App> {
  const { config } = settings
  await using started = new AsyncDisposableStack()
  const services = started.use(openServices(settings))
  const { workerSchema } = config
  await migrate(services.database.pool, { workerSchema, restartOtherWorkers })
  await requireListedKeys(services.database.pool, services.webhooks.keyring)
  const { database, logger } = services
  started.use(
    startHeartbeat({
      ...database,
      onError: (error) => logger.warn({ error }, 'Postgres does not answer'),
    }),
  )

  let worker: Worker | null = null
  if (role !== 'api') {
    const sender = started.use(await openSender(settings))
    const flow = started.use(openFlow(services, settings))
    worker = started.use(await startDelivering(services, sender, flow, settings))
  }
  const routes = createRoutes(services, worker, hasStarted)
  if (role !== 'worker') {
    // 35 MB that a worker alone does without.
    const { addApi } = await import('./api.ts')
    addApi(routes, services, config)
  }
  const server = started.use(await startServer(routes, config))
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
    hurry: () => worker?.hurry(),
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

function openFlow({ database, logger, announce }: Services, { config, now }: Settings): Flow {
  return createFlow(database.pool, {
    concurrency: config.concurrency,
    announce,
    onError(error) {
      // Told by the worker, once.
      if (isDatabaseUnavailable(error)) return
      logger.warn({ error }, 'cannot move deliveries in line; trying again')
    },
    now: now ?? systemClock,
  })
}

const systemClock = () => new Date()

async function startDelivering(
  { database, handOver, logger, metrics, webhooks, announce }: Services,
  sender: HttpSender,
  flow: Flow,
  { config, now }: Settings,
): Promise<Worker> {
  const { pool } = database
  const sentBy = { headerPrefix: config.headerPrefix, userAgent: USER_AGENT }
  const attempt = {
    load: createLoadDelivery(pool),
    isCurrent: createIsCurrent(pool),
    findSendOptions: createFindSendOptions(pool, webhooks.keyring),
    sender,
    record: recordAtLast(pool, createRecordAttempt(pool, sentBy, config.concurrency)),
    announce,
    flow,
    cancel: async (uuid: string) => void (await cancelDeliveries(pool, [uuid])),
    report: createDeliveryReporter(logger, metrics.attempts),
    retryScheduleMs: config.retryScheduleMs,
    headerNames: deliveryHeaderNames(config.headerPrefix),
    now: now ?? systemClock,
  }
  const tasks = createTasks({
    database,
    attempt,
    flow,
    retentionMs: config.retentionMs,
    auditRetentionMs: config.auditRetentionMs,
    logger,
    reportOrphans: createOrphanReporter(logger, metrics.orphans),
  })
  const worker = await startWorker(database, tasks, {
    concurrency: config.concurrency,
    workerSchema: config.workerSchema,
    handOver,
    logger,
    onStopping: () => flow.close(),
  })
  // Its time may have come while no process ran.
  await enqueue(database.prisma, 'maintain', {}, { key: 'maintain' })
  return worker
}

import { readFile } from 'node:fs/promises'
import { isDatabaseUnavailable } from './db/faults.ts'
import { startHeartbeat } from './db/heartbeat.ts'
import { createLoadDelivery } from './deliveries/attempts/load-delivery.ts'
import { markFault } from './deliveries/attempts/mark-fault.ts'
import { createRecordAttempt } from './deliveries/attempts/record-attempt.ts'
import { recordWithRetry } from './deliveries/attempts/record-with-retry.ts'
import { createRequeue } from './deliveries/attempts/requeue.ts'
import { deliveryHeaderNames } from './deliveries/attempts/signed-request.ts'
import { cancelDeliveries } from './deliveries/cancel-deliveries.ts'
import { setDefaultMaxAttempts } from './deliveries/default-max-attempts.ts'
import { reopenExhausted } from './deliveries/reopen-exhausted.ts'
import { requireListedKeys } from './encryption/stored-secrets.ts'
import { USER_AGENT } from './lib/version.ts'
import { migrate } from './migrate/migrate.ts'
import { createHttpSender, type HttpSender } from './outbound/http-sender.ts'
import { createAddressGuard } from './outbound/public-address.ts'
import { enqueue } from './queue/jobs.ts'
import { startWorker, type Worker } from './queue/runner.ts'
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts'
import { createRoutes, type Role, startServer } from './server/http-server.ts'
import { openServices, type Services, type Settings } from './services.ts'
import { createDeliveryReporter, createSweepReporter } from './telemetry/events.ts'
import { createIsCurrentRevision } from './webhooks/is-current-revision.ts'
import { createFindSendOptions } from './webhooks/send-options.ts'
import { createTasks } from './worker/tasks.ts'

/** A running process. Disposing of it finishes what is in flight, then lets go of the database. */
export interface App extends AsyncDisposable {
  readonly services: Services
  /** Where it answers. */
  readonly url: string
  /** Lets a shutdown not wait for the attempts in flight: their jobs are given back. */
  abort(): void
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
  // 35 MB that a worker alone does without. Before anything connects: loading them takes seconds on a busy machine, and
  // connections that open meanwhile would count as timed out.
  const api = role === 'worker' ? null : await import('./server/api-routes.ts')
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
    const scheduler = started.use(openScheduler(services, settings))
    worker = started.use(await startDelivering(services, sender, scheduler, settings))
  }
  const routes = createRoutes(services, worker, hasStarted)
  api?.addApi(routes, services, config)
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
    abort: () => worker?.abort(),
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

function openScheduler({ database, logger, notify }: Services, { config, now }: Settings) {
  return createScheduler(database.pipeline, {
    concurrency: config.concurrency,
    notify,
    onError(error) {
      // The worker reports it, once.
      if (isDatabaseUnavailable(error)) return
      logger.warn({ error }, 'cannot release from the backlogs; trying again')
    },
    now: now ?? systemClock,
  })
}

const systemClock = () => new Date()

async function startDelivering(
  { database, logger, metrics, webhooks, notify }: Services,
  sender: HttpSender,
  scheduler: Scheduler,
  { config, now }: Settings,
): Promise<Worker> {
  const { pool, pipeline } = database
  const { workerSchema } = config
  const senderIdentity = { headerPrefix: config.headerPrefix, userAgent: USER_AGENT }
  await setDefaultMaxAttempts(pool, config.retryScheduleMs.length + 1)
  const attempt = {
    load: createLoadDelivery(pipeline),
    isCurrentRevision: createIsCurrentRevision(pipeline),
    findSendOptions: createFindSendOptions(pipeline, webhooks.keyring),
    scheduler,
    sender,
    record: recordWithRetry(pool, createRecordAttempt(pipeline, senderIdentity)),
    notify,
    cancel: async (uuid: string) => void (await cancelDeliveries(pool, [uuid])),
    requeue: createRequeue(pipeline),
    reopen: (uuid: string) => reopenExhausted(pool, uuid),
    markFault: (uuid: string) => markFault(pool, uuid).catch(() => {}),
    report: createDeliveryReporter(logger, metrics.attempts),
    retryScheduleMs: config.retryScheduleMs,
    headerNames: deliveryHeaderNames(config.headerPrefix),
    now: now ?? systemClock,
  }
  const tasks = createTasks({
    database,
    workerSchema,
    attempt,
    scheduler,
    retentionMs: config.retentionMs,
    auditRetentionMs: config.auditRetentionMs,
    keepFailedJobsMs: config.keepFailedJobsMs,
    logger,
    reportSweep: createSweepReporter(logger, metrics.sweeps),
  })
  const worker = await startWorker(database, tasks, {
    concurrency: config.concurrency,
    workerSchema,
    logger,
    onStopping: () => scheduler.close(),
  })
  // Its time may have come while no process ran.
  await enqueue(database.prisma, 'maintain', {}, { key: 'maintain' })
  return worker
}

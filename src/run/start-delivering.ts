import { createFindBody } from '../bodies/find-body.ts'
import { heapShare } from '../config/heap-share.ts'
import type { Settings } from '../config/settings.ts'
import { ERROR_CODES } from '../deliveries/attempts/attempt-record.ts'
import { createDeliveryJobs } from '../deliveries/attempts/delivery-jobs.ts'
import { createLoadBody, createLoadDelivery } from '../deliveries/attempts/load-delivery.ts'
import { createPayloadMemory } from '../deliveries/attempts/payload-memory.ts'
import { createRecordAttempt, recordWithRetry } from '../deliveries/attempts/record-attempt.ts'
import { createRunAlone, type ExchangeThread } from '../deliveries/attempts/run-alone.ts'
import { openMailer, openSender } from '../deliveries/open-sender.ts'
import { saveSendDefaults } from '../deliveries/send-defaults.ts'
import { openSharedId } from '../lib/shared-id.ts'
import { USER_AGENT } from '../lib/version.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import { TASK_PREFIX } from '../queue/jobs.ts'
import { startWorker, type ThreadRunners, type Worker } from '../queue/worker.ts'
import { createScheduler, type Scheduler } from '../scheduling/scheduler.ts'
import { createAttemptMetrics } from '../telemetry/attempt-metrics.ts'
import { addCounter, addGauge } from '../telemetry/counters.ts'
import {
  createCancelReporter,
  createDeliveryReporter,
  createSweepReporter,
  type ReportSweep,
} from '../telemetry/events.ts'
import { createIsCurrentRevision } from '../webhooks/is-current-revision.ts'
import { createFindSendOptions } from '../webhooks/send-options.ts'
import type { CommonServices } from './common-services.ts'
import { createExchangeThread } from './exchange-thread.ts'
import { openExchange } from './start-exchanging.ts'
import { createTasks } from './tasks.ts'
import { watchHealth } from './watch-health.ts'

/** What the thread that supervises this one gives it. */
interface OfThread {
  readonly runners?: ThreadRunners
  readonly writing?: SharedArrayBuffer
}

/** Runs the jobs of deliveries and of maintenance. */
export async function startDelivering(
  started: AsyncDisposableStack,
  deps: CommonServices,
  settings: Settings,
  thread: OfThread = {},
): Promise<Worker> {
  const sender = started.use(await openSender(settings))
  const scheduler = started.use(openScheduler(deps, settings))
  const { registry } = deps.metrics
  addGauge(registry, 'attempts_in_flight', () => scheduler.inFlight)
  addGauge(registry, 'attempts_in_flight_limit', () => settings.config.concurrency)
  addGauge(registry, 'attempts_waiting', () => scheduler.waiting)
  const reportSweep = createSweepReporter(deps.logger, registry)
  const openThread = () => started.use(createExchangeThread(settings, deps.logger))
  const alone = [openThread(), openThread()] as const
  const attempting = { sender, scheduler, alone, reportSweep, thread }
  const worker = started.use(await startTasks(deps, attempting, settings))
  started.use(
    watchHealth({
      sql: deps.database.pipeline,
      notify: deps.notify,
      now: settings.now ?? systemClock,
      onError: deps.warnOf('cannot evaluate the health of the webhooks; trying again'),
    }),
  )
  return worker
}

function openScheduler({ database, notify, warnOf }: CommonServices, { config, now }: Settings) {
  return createScheduler(database.pipeline, {
    concurrency: config.concurrency,
    notify,
    onError: warnOf('cannot release from the backlogs; trying again'),
    now: now ?? systemClock,
  })
}

/** Most of it is outside of the heap, as buffers. */
const SHARE_OF_PAYLOADS = 1 / 4

const systemClock = () => new Date()

interface Attempting {
  readonly sender: HttpSender
  readonly scheduler: Scheduler
  readonly alone: readonly [ExchangeThread, ExchangeThread]
  readonly reportSweep: ReportSweep
  readonly thread: OfThread
}

async function startTasks(
  common: CommonServices,
  { sender, scheduler, alone, reportSweep, thread }: Attempting,
  settings: Settings,
): Promise<Worker> {
  const { database, logger, outages, metrics, keyring, notify, tracing } = common
  const { config, now } = settings
  const { pool, pipeline } = database
  const { workerSchema } = config
  const senderIdentity = { headerPrefix: config.headerPrefix, userAgent: USER_AGENT }
  await saveSendDefaults(pool, config)
  const reportCanceled = createCancelReporter(logger)
  const attempt = {
    load: createLoadDelivery(pipeline),
    loadBody: createLoadBody(
      pipeline,
      createFindBody(pipeline),
      thread.writing && openSharedId(thread.writing),
    ),
    payloads: createPayloadMemory(heapShare(config, SHARE_OF_PAYLOADS)),
    isCurrentRevision: createIsCurrentRevision(pipeline),
    findSendOptions: createFindSendOptions(pipeline, keyring),
    scheduler,
    ...openExchange(settings, sender),
    alone: createRunAlone(pool, alone),
    record: recordWithRetry(pool, createRecordAttempt(pipeline, senderIdentity), outages.report),
    notify,
    jobs: createDeliveryJobs(database, reportCanceled),
    report: createDeliveryReporter(logger, createAttemptMetrics(metrics.registry, ERROR_CODES)),
    tracing,
    retryScheduleMs: config.retryScheduleMs,
    now: now ?? systemClock,
  }
  const sendMail = await openMailer(settings)
  const tasks = createTasks({
    common,
    config,
    attempt,
    scheduler,
    sendMail,
    reportCanceled,
    reportSweep,
  })
  const countReplacement = addCounter(metrics.registry, 'runner_replacements')
  const worker = await startWorker(database, tasks, {
    concurrency: config.concurrency,
    workerSchema,
    logger,
    outages,
    onStopping: () => scheduler.close(),
    onReplaced: () => countReplacement(1),
    ...(thread.runners && { runners: thread.runners }),
  })
  // Maintenance may have been missed while no process ran.
  const own = `${TASK_PREFIX}maintain`
  await pool.query(`select posthorn.enqueue('maintain', '{}', $1, null, $1)`, [own])
  return worker
}

import { createFindBody } from '../bodies/body.ts'
import { heapShare, type Settings } from '../config/settings.ts'
import type { Sql } from '../db/client.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { parseId } from '../db/ids.ts'
import { createDeliveryJobs } from '../deliveries/attempts/delivery-jobs.ts'
import { createLoadBody, createLoadDelivery } from '../deliveries/attempts/load-delivery.ts'
import { makeAttempt } from '../deliveries/attempts/make-attempt.ts'
import { createRecordAttempt, recordWithRetry } from '../deliveries/attempts/record-attempt.ts'
import { openMailer, openSender } from '../deliveries/open-sender.ts'
import { saveSendDefaults } from '../deliveries/send-defaults.ts'
import { repeat } from '../lib/repeat.ts'
import { ERROR_CODES } from '../outbound/failure-reasons.ts'
import { ForeignJobError, TASK_PREFIX, type Tasks } from '../queue/jobs.ts'
import { startWorker, type Worker } from '../queue/worker.ts'
import { createScheduler } from '../scheduling/scheduler.ts'
import type { Notify } from '../streams/live/notify.ts'
import { addCounter, addGauge } from '../telemetry/counters.ts'
import { createCancelReporter, createDeliveryReporter } from '../telemetry/events.ts'
import { evaluateHealth } from '../webhooks/evaluate-health.ts'
import { createFindSendOptions } from '../webhooks/send-options.ts'
import { countFilteredEvents } from '../webhooks/statistics.ts'
import type { CommonServices } from './common-services.ts'
import { createTasks } from './tasks.ts'

/** Most of it is outside of the heap, as buffers. */
const SHARE_OF_PAYLOADS = 1 / 4

/** Runs the jobs of deliveries and of maintenance. */
export async function startDelivering(
  started: AsyncDisposableStack,
  common: CommonServices,
  settings: Settings,
): Promise<Worker> {
  const { database, logger, outages, metrics, keyring, notify, tracing } = common
  const { config } = settings
  const { workerSchema } = config
  const { registry } = metrics
  const { pool, pipeline } = database
  const sender = started.use(await openSender(settings))
  const scheduler = started.use(
    createScheduler(pipeline, {
      concurrency: config.concurrency,
      notify,
      onError: outages.warnOf('cannot release from the backlogs; trying again'),
    }),
  )
  addGauge(registry, 'attempts_in_flight', () => scheduler.inFlight)
  addGauge(registry, 'attempts_in_flight_limit', () => config.concurrency)
  addGauge(registry, 'attempts_waiting', () => scheduler.waiting)
  await saveSendDefaults(pool, config)
  const reportCanceled = createCancelReporter(logger)
  const attempt = {
    load: createLoadDelivery(pipeline),
    loadBody: createLoadBody(pipeline, createFindBody(pipeline)),
    payloads: new FairQueue(heapShare(config, SHARE_OF_PAYLOADS)),
    findSendOptions: createFindSendOptions(pipeline, keyring),
    scheduler,
    sender,
    headerPrefix: config.headerPrefix,
    record: recordWithRetry(pool, createRecordAttempt(pipeline), outages.report),
    notify,
    jobs: createDeliveryJobs(database, reportCanceled),
    report: createDeliveryReporter(logger, registry, ERROR_CODES),
    tracing,
    retryScheduleMs: config.retryScheduleMs,
  }
  const sendMail = await openMailer(settings)
  const tasks: Tasks = {
    ...createTasks(common, config, scheduler, sendMail, reportCanceled),
    // The key names the delivery, so that a dashboard may add the job again with any payload.
    deliver: (_payload, run) => makeAttempt(attempt, deliveryOf(run.key), run),
  }
  const countReplacement = addCounter(registry, 'runner_replacements')
  const worker = started.use(
    await startWorker(database, tasks, {
      concurrency: config.concurrency,
      workerSchema,
      logger,
      outages,
      onStopping: () => scheduler.close(),
      onReplaced: () => countReplacement(1),
    }),
  )
  const onError = outages.warnOf('cannot evaluate the health of the webhooks; trying again')
  started.use(repeat(EVALUATE_EVERY_MS, () => evaluate(pipeline, notify), onError))
  // Maintenance may have been missed while no process ran.
  const own = `${TASK_PREFIX}maintain`
  await pool.query(`select posthorn.enqueue('maintain', '{}', $1, null, $1)`, [own])
  return worker
}

/** The uuid of the delivery of a job. */
function deliveryOf(key: string | null): string {
  const uuid = key === null ? null : parseId('delivery', key)
  if (uuid === null) throw new ForeignJobError('key', key, 'msg_…')
  return uuid
}

const EVALUATE_EVERY_MS = 1_000

/** Evaluates the health of the webhooks, counts what filters refused, and notifies the organizations of changes. */
async function evaluate(pipeline: Sql, notify: Notify): Promise<void> {
  const transitions = await evaluateHealth(pipeline)
  for (const { organizationId } of transitions) notify(organizationId)
  await countFilteredEvents(pipeline)
}

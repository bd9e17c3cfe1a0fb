import { createFindBody } from '../bodies/body.ts'
import { createSteps } from '../bulk-tasks/steps.ts'
import type { Config } from '../config/config.ts'
import { heapShare, type Settings } from '../config/settings.ts'
import type { Sql } from '../db/client.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { ID_PREFIXES, type IdKind, nounOf, parseId } from '../db/ids.ts'
import { createDeliveryJobs, reopenRescheduled } from '../deliveries/attempts/delivery-jobs.ts'
import { createLoadBody, createLoadDelivery } from '../deliveries/attempts/load-delivery.ts'
import { type AttemptDeps, makeAttempt } from '../deliveries/attempts/make-attempt.ts'
import { createRecordAttempt, recordWithRetry } from '../deliveries/attempts/record-attempt.ts'
import { backfillIndex } from '../deliveries/backfill-index.ts'
import { eraseUnkeptPayloads } from '../deliveries/erase-unkept-payloads.ts'
import { openMailer, openSender } from '../deliveries/open-sender.ts'
import { saveSendDefaults } from '../deliveries/send-defaults.ts'
import { sweep } from '../deliveries/sweep.ts'
import { fanOut, restartFanOuts } from '../events/fan-out.ts'
import { sendAlert, sendConfirmation, sendLateAlerts } from '../health/alerts/send-mails.ts'
import { repeat } from '../lib/repeat.ts'
import { ERROR_CODES } from '../outbound/failure-reasons.ts'
import type { SendMail } from '../outbound/mail.ts'
import { TASK_PREFIX, type Tasks } from '../queue/jobs.ts'
import { continueWork, restartWorks } from '../queue/long-work.ts'
import { abandonUnknownRunners } from '../queue/rescue.ts'
import { startWorker, type Worker } from '../queue/worker.ts'
import { pruneSchedules } from '../scheduling/backlog.ts'
import { createScheduler } from '../scheduling/scheduler.ts'
import type { Notify } from '../streams/live/notify.ts'
import {
  createCancelReporter,
  createDeliveryReporter,
  createSweepReporter,
  type ReportCanceled,
} from '../telemetry/events.ts'
import { evaluateHealth } from '../webhooks/evaluate-health.ts'
import { createFindSendOptions } from '../webhooks/send-options.ts'
import { countFilteredEvents, rollUpStatistics } from '../webhooks/statistics.ts'
import type { CommonServices } from './common-services.ts'
import { maintain } from './maintenance.ts'

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
  const { pool, pipeline } = database
  const sender = started.use(await openSender(settings))
  const scheduler = started.use(
    createScheduler(pipeline, {
      concurrency: config.concurrency,
      notify,
      onError: outages.warnOf('cannot release from the backlogs; trying again'),
    }),
  )
  metrics.show('attempts_in_flight', () => scheduler.inFlight)
  metrics.show('attempts_in_flight_limit', () => config.concurrency)
  metrics.show('attempts_waiting', () => scheduler.waiting)
  await saveSendDefaults(pool, config)
  const reportCanceled = createCancelReporter(logger)
  const attempt = {
    load: createLoadDelivery(pipeline, common.queued?.take),
    loadBody: createLoadBody(pipeline, createFindBody(pipeline)),
    payloads: new FairQueue(heapShare(config, SHARE_OF_PAYLOADS)),
    findSendOptions: createFindSendOptions(pipeline, keyring),
    scheduler,
    sender,
    headerPrefix: config.headerPrefix,
    record: recordWithRetry(pool, createRecordAttempt(pipeline), outages.report),
    notify,
    jobs: createDeliveryJobs(database, reportCanceled),
    report: createDeliveryReporter(logger, metrics, ERROR_CODES),
    tracing,
    retryScheduleMs: config.retryScheduleMs,
  }
  const sendMail = await openMailer(settings)
  const tasks = createTasks(common, config, attempt, sendMail, reportCanceled)
  const worker = started.use(
    await startWorker(database, tasks, {
      concurrency: config.concurrency,
      workerSchema,
      logger,
      outages,
      onStopping: () => scheduler.close(),
      onReplaced: () => metrics.count('runner_replacements', 1),
    }),
  )
  const onError = outages.warnOf('cannot evaluate the health of the webhooks; trying again')
  started.use(repeat(EVALUATE_EVERY_MS, () => evaluate(pipeline, notify), onError))
  // Maintenance may have been missed while no process ran.
  const own = `${TASK_PREFIX}maintain`
  await pool.query(`select posthorn.enqueue('maintain', '{}', $1, null, $1)`, [own])
  return worker
}

const EVALUATE_EVERY_MS = 1_000

/** Evaluates the health of the webhooks, counts what filters refused, and notifies the organizations of changes. */
async function evaluate(pipeline: Sql, notify: Notify): Promise<void> {
  for (const organizationId of await evaluateHealth(pipeline)) notify(organizationId)
  await countFilteredEvents(pipeline)
}

/**
 * The tasks of the worker. Each one parses its payload and calls the domain. `sendMail` is null without a mail server.
 */
function createTasks(
  common: CommonServices,
  config: Config,
  attempt: AttemptDeps,
  sendMail: SendMail | null,
  reportCanceled: ReportCanceled,
): Tasks {
  const { database, keyring, logger } = common
  const { workerSchema, publicUrl } = config
  const { pool, background } = database
  const reportSweep = createSweepReporter(logger, common.metrics)
  const steps = createSteps(keyring)
  const mails = sendMail && publicUrl !== null && { pool, keyring, publicUrl, sendMail }
  return {
    // The key names the delivery, so that a dashboard may add the job again with any payload.
    deliver: (_payload, run) => makeAttempt(attempt, uuidOf('delivery', run.key), run),

    async release_backlog({ webhookId }) {
      await attempt.scheduler.release(uuidOf('webhook', webhookId))
    },

    async fan_out({ organizationId }, { signal }) {
      await fanOut(background, uuidOf('organization', organizationId), signal)
    },

    async continue_bulk_task({ taskId }, { signal }) {
      const uuid = uuidOf('bulkTask', taskId)
      await continueWork({ pool: background, steps }, uuid, signal, reportCanceled)
    },

    maintain: (_payload, { signal }) => maintain(common, config, signal),

    sweep: async (_payload, { signal }) => reportSweep(await sweep(pool, workerSchema, { signal })),

    async check_jobs() {
      await abandonUnknownRunners(pool, workerSchema)
      reportSweep({ reopened: await reopenRescheduled(pool, workerSchema) })
    },

    async send_alerts() {
      await sendLateAlerts(pool)
    },

    async send_alert({ mailId }) {
      if (mails) await sendAlert(mails, uuidOf('alertMail', mailId))
    },

    async send_confirmation({ addressId }) {
      if (mails) await sendConfirmation(mails, uuidOf('alertAddress', addressId))
    },

    async roll_up(_payload, { signal }) {
      const backfilled = await backfillIndex(pool)
      const hours = await rollUpStatistics(pool)
      const backlogs = await pruneSchedules(database.pipeline)
      const fanOuts = await restartFanOuts(pool)
      const works = await restartWorks(pool, workerSchema)
      const unkeptPayloads = await eraseUnkeptPayloads(background, signal)
      logger.debug(
        { backfilled, hours, backlogs, fanOuts, works, unkeptPayloads },
        'Statistics rolled up.',
      )
    },
  }
}

/** The uuid in the key or the payload of a job, which are anything if another program added the job. */
function uuidOf(kind: IdKind, id: unknown): string {
  const uuid = parseId(kind, String(id))
  if (uuid !== null) return uuid
  throw new Error(
    `The job names no ${nounOf(kind)}: ${ID_PREFIXES[kind]}_…. If another program added it, complete it.`,
  )
}

import { createSteps } from '../bulk-tasks/steps.ts'
import type { Config } from '../config/config.ts'
import { ID_PREFIXES, type IdKind, parseId } from '../db/ids.ts'
import { reopenRescheduled } from '../deliveries/attempts/delivery-jobs.ts'
import { backfillIndex } from '../deliveries/backfill-index.ts'
import { eraseUnkeptPayloads } from '../deliveries/erase-unkept-payloads.ts'
import { sweep } from '../deliveries/sweep.ts'
import { fanOut, restartFanOuts } from '../events/fan-out.ts'
import { sendAlert, sendConfirmation, sendLateAlerts } from '../health/alerts/send-mails.ts'
import type { SendMail } from '../outbound/mail.ts'
import { ForeignJobError, type Tasks } from '../queue/jobs.ts'
import { continueWork, restartWorks } from '../queue/long-work.ts'
import { abandonUnknownRunners } from '../queue/rescue.ts'
import { pruneSchedules } from '../scheduling/backlog.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import { addCounter } from '../telemetry/counters.ts'
import { createSweepReporter, type ReportCanceled } from '../telemetry/events.ts'
import { rollUpStatistics } from '../webhooks/statistics.ts'
import type { CommonServices } from './common-services.ts'
import { maintain } from './maintenance.ts'

/**
 * The tasks of the worker besides the attempts of deliveries. Each one parses its payload and calls the domain. `sendMail`
 * is null without a mail server.
 */
export function createTasks(
  common: CommonServices,
  config: Config,
  scheduler: Scheduler,
  sendMail: SendMail | null,
  reportCanceled: ReportCanceled,
): Omit<Tasks, 'deliver'> {
  const { database, keyring, logger } = common
  const { workerSchema, publicUrl } = config
  const { pool, background } = database
  const reportSweep = createSweepReporter(logger, common.metrics.registry)
  const countFailure = addCounter(common.metrics.registry, 'maintenance_failures')
  const steps = createSteps(keyring, workerSchema)
  return {
    async release_backlog(payload) {
      await scheduler.release(uuidIn(payload, 'webhook', 'webhookId'))
    },

    async fan_out(payload, { signal }) {
      await fanOut(background, uuidIn(payload, 'organization', 'organizationId'), signal)
    },

    async continue_bulk_task(payload, { signal }) {
      const uuid = uuidIn(payload, 'bulkTask', 'taskId')
      await continueWork({ pool: background, steps }, uuid, signal, reportCanceled)
    },

    maintain: (_payload, { signal }) => maintain(common, config, countFailure, signal),

    sweep: async (_payload, { signal }) => reportSweep(await sweep(pool, workerSchema, { signal })),

    async check_jobs() {
      await abandonUnknownRunners(pool, workerSchema)
      reportSweep({ reopened: await reopenRescheduled(pool, workerSchema) })
    },

    async send_alerts() {
      await sendLateAlerts(pool)
    },

    async send_alert(payload) {
      const mail = uuidIn(payload, 'alertMail', 'mailId')
      if (!sendMail || publicUrl === null) return
      await sendAlert({ pool, keyring, publicUrl, sendMail }, mail)
    },

    async send_confirmation(payload) {
      const address = uuidIn(payload, 'alertAddress', 'addressId')
      if (!sendMail || publicUrl === null) return
      await sendConfirmation({ pool, keyring, publicUrl, sendMail }, address)
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

/** Reads an id in a payload, which is anything if another program added the job. */
function uuidIn(payload: unknown, kind: IdKind, field: string): string {
  const id = Object.hasOwn(Object(payload), field) ? (payload as never)[field] : undefined
  const uuid = typeof id === 'string' ? parseId(kind, id) : null
  if (uuid === null) throw new ForeignJobError(field, id, `${ID_PREFIXES[kind]}_…`)
  return uuid
}

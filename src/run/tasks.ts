import { deleteOldMails } from '../alerts/mail-limit.ts'
import { sendAlert, sendConfirmation, sendLateAlerts } from '../alerts/send-mails.ts'
import { deleteOldAuditEntries } from '../audit/delete-old-audit-entries.ts'
import { deleteOldBulkTasks } from '../bulk-tasks/bulk-task.ts'
import { continueBulkTask } from '../bulk-tasks/continue-bulk-task.ts'
import type { Config } from '../config/config.ts'
import { ID_PREFIXES, type IdKind, parseId } from '../db/ids.ts'
import { type AttemptDeps, attemptDelivery } from '../deliveries/attempts/attempt-delivery.ts'
import { backfillIndex } from '../deliveries/backfill-index.ts'
import { completeFinishedJobs } from '../deliveries/complete-finished-jobs.ts'
import { continueCancelation } from '../deliveries/continue-cancelation.ts'
import { deletePastRules } from '../deliveries/keep/delete-past-rules.ts'
import { eraseUnkeptPayloads } from '../deliveries/keep/erase-unkept-payloads.ts'
import { queueOldPayloads } from '../deliveries/keep/queue-old-payloads.ts'
import { reopenRescheduled } from '../deliveries/reopen-exhausted.ts'
import { maintainPartitions } from '../deliveries/retention.ts'
import { sweep } from '../deliveries/sweep.ts'
import { deleteOldBatches } from '../event-stream/delete-old-batches.ts'
import { createFanOut, restartFanOuts } from '../events/fan-out.ts'
import { deleteExpiredIdempotencyKeys } from '../idempotency/run-once.ts'
import { deleteOldIncidents } from '../incidents/find-incidents.ts'
import { continueDeletion, restartDeletions } from '../organizations/deletion/continue-deletion.ts'
import type { SendMail } from '../outbound/mail.ts'
import { ForeignJobError } from '../queue/foreign-job.ts'
import type { Tasks } from '../queue/jobs.ts'
import { abandonUnknownRunners } from '../queue/rescue.ts'
import { pruneSchedules } from '../scheduling/prune-schedules.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import { deleteEndedSessions } from '../sessions/ended-sessions.ts'
import { addCounter } from '../telemetry/counters.ts'
import type { ReportCanceled, ReportSweep } from '../telemetry/events.ts'
import { deleteOldHolds } from '../webhooks/holds.ts'
import { deleteOldStatistics, rollUpStatistics } from '../webhooks/roll-up-statistics.ts'
import { deleteExpiredSecrets } from '../webhooks/signing-secret.ts'
import type { CommonServices } from './common-services.ts'
import { startMaintenance } from './maintenance.ts'

export interface TaskDeps {
  readonly common: CommonServices
  readonly config: Config
  readonly attempt: AttemptDeps
  readonly scheduler: Scheduler
  /** Null without a mail server. */
  readonly sendMail: SendMail | null
  readonly reportCanceled: ReportCanceled
  readonly reportSweep: ReportSweep
}

/** The tasks of the worker. Each one parses its payload and calls the domain. */
export function createTasks(deps: TaskDeps): Tasks {
  const { common, config, attempt, scheduler, sendMail, reportCanceled, reportSweep } = deps
  const { database, keyring, logger } = common
  const { workerSchema, retentionMs, publicUrl } = config
  const countFailure = addCounter(common.metrics.registry, 'maintenance_failures')
  const { pool, background } = database
  const fanOut = createFanOut(background)
  return {
    // The key names the delivery, so that a dashboard may add the job again with any payload.
    deliver(payload, run) {
      const uuid = uuidOf('delivery', 'key', run.key)
      return attemptDelivery(attempt, uuid, { ...run, isAlone: Object(payload).alone === true })
    },

    async release_backlog(payload) {
      await scheduler.release(uuidIn(payload, 'webhook', 'webhookId'))
    },

    async fan_out(payload, { signal }) {
      await fanOut(uuidIn(payload, 'organization', 'organizationId'), signal)
    },

    async cancel_deliveries(payload, { signal }) {
      const webhook = uuidIn(payload, 'webhook', 'webhookId')
      const after = payload.after === undefined ? null : uuidIn(payload, 'delivery', 'after')
      await continueCancelation(background, webhook, after, signal, reportCanceled)
    },

    async continue_bulk_task(payload, { signal }) {
      const uuid = uuidIn(payload, 'bulkTask', 'taskId')
      await continueBulkTask({ pool: background, keyring }, uuid, signal, reportCanceled)
    },

    async delete_organization(payload, { signal }) {
      const organization = uuidIn(payload, 'organization', 'organizationId')
      await continueDeletion(background, workerSchema, organization, signal)
    },

    async maintain(_payload, { signal }) {
      const { run, results, end } = startMaintenance(logger, countFailure)
      await maintainPartitions(pool, { retentionMs, signal }, run)
      await run('retention_rules', () => deletePastRules(background, signal))
      await run('old_payloads', () => queueOldPayloads(pool))
      await run('finished_jobs', () =>
        completeFinishedJobs(pool, workerSchema, config.keepFailedJobsMs),
      )
      await run('bulk_tasks', () => deleteOldBulkTasks(pool, retentionMs))
      await run('statistics', () => deleteOldStatistics(pool, retentionMs))
      await run('holds', () => deleteOldHolds(pool, retentionMs))
      await run('incidents', () => deleteOldIncidents(pool, retentionMs))
      await run('event_streams', () => deleteOldBatches(pool, retentionMs))
      await run('secrets', () => deleteExpiredSecrets(pool))
      await run('idempotency_keys', () => deleteExpiredIdempotencyKeys(pool))
      await run('alert_mails', () => deleteOldMails(pool))
      await run('sessions', () => deleteEndedSessions(pool))
      await run('audit_entries', () => deleteOldAuditEntries(pool, config.auditRetentionMs))
      logger.debug(results, 'Maintenance finished.')
      end()
    },

    sweep: async (_payload, { signal }) => reportSweep(await sweep(pool, workerSchema, { signal })),

    async check_jobs() {
      await abandonUnknownRunners(pool, workerSchema)
      reportSweep({ reopened: await reopenRescheduled(pool, workerSchema) })
    },

    async send_alerts() {
      await sendLateAlerts(pool, Boolean(sendMail))
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
      const deletions = await restartDeletions(pool, workerSchema)
      const unkeptPayloads = await eraseUnkeptPayloads(background, signal)
      logger.debug(
        { backfilled, hours, backlogs, fanOuts, deletions, unkeptPayloads },
        'Statistics rolled up.',
      )
    },
  }
}

/** Reads an id in a payload, which is anything if another program added the job. */
function uuidIn(payload: unknown, kind: IdKind, field: string): string {
  const value = Object.hasOwn(Object(payload), field) ? (payload as never)[field] : undefined
  return uuidOf(kind, field, value)
}

function uuidOf(kind: IdKind, field: string, id: unknown): string {
  const uuid = typeof id === 'string' ? parseId(kind, id) : null
  if (uuid === null) throw new ForeignJobError(field, id, `${ID_PREFIXES[kind]}_…`)
  return uuid
}

import { deleteOldAuditEntries } from '../auth/audit/audit-entry.ts'
import { deleteEndedSessions } from '../auth/sessions/session.ts'
import { deleteOldBulkTasks } from '../bulk-tasks/bulk-task.ts'
import { createSteps } from '../bulk-tasks/steps.ts'
import type { Config } from '../config/config.ts'
import { unavailabilityOf } from '../db/faults.ts'
import { ID_PREFIXES, type IdKind, parseId } from '../db/ids.ts'
import { type AttemptDeps, attemptDelivery } from '../deliveries/attempts/attempt-delivery.ts'
import { backfillIndex } from '../deliveries/backfill-index.ts'
import { completeFinishedJobs } from '../deliveries/complete-finished-jobs.ts'
import { eraseUnkeptPayloads } from '../deliveries/keep/erase-unkept-payloads.ts'
import { reopenRescheduled } from '../deliveries/reopen-exhausted.ts'
import { deletePastRules, maintainPartitions } from '../deliveries/retention.ts'
import { sweep } from '../deliveries/sweep.ts'
import { fanOut, restartFanOuts } from '../events/fan-out.ts'
import {
  deleteOldMails,
  sendAlert,
  sendConfirmation,
  sendLateAlerts,
} from '../health/alerts/send-mails.ts'
import { deleteOldIncidents } from '../health/incidents/incident.ts'
import { deleteExpiredIdempotencyKeys } from '../http/run-once.ts'
import type { SendMail } from '../outbound/mail.ts'
import { ForeignJobError, type Tasks } from '../queue/jobs.ts'
import { continueWork, restartWorks } from '../queue/long-work.ts'
import { abandonUnknownRunners } from '../queue/rescue.ts'
import { pruneSchedules } from '../scheduling/prune-schedules.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import { deleteOldBatches } from '../streams/event-stream/event-stream.ts'
import { addCounter, type MaintenanceStep } from '../telemetry/counters.ts'
import type { ReportCanceled, ReportSweep } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { deleteOldHolds } from '../webhooks/holds.ts'
import { deleteExpiredSecrets } from '../webhooks/signing-secret.ts'
import { deleteOldStatistics, rollUpStatistics } from '../webhooks/statistics.ts'
import type { CommonServices } from './common-services.ts'

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
  const steps = createSteps(keyring, workerSchema)
  return {
    // The key names the delivery, so that a dashboard may add the job again with any payload.
    deliver: (_payload, run) => attemptDelivery(attempt, uuidOf('delivery', 'key', run.key), run),

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

    async maintain(_payload, { signal }) {
      const { run, results, end } = createMaintenance(logger, countFailure)
      await maintainPartitions(pool, { retentionMs, signal }, run)
      await run('retention_rules', () => deletePastRules(background, signal))
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
  const value = Object.hasOwn(Object(payload), field) ? (payload as never)[field] : undefined
  return uuidOf(kind, field, value)
}

function uuidOf(kind: IdKind, field: string, id: unknown): string {
  const uuid = typeof id === 'string' ? parseId(kind, id) : null
  if (uuid === null) throw new ForeignJobError(field, id, `${ID_PREFIXES[kind]}_…`)
  return uuid
}

/** Runs the steps of a maintenance whether or not others fail. */
function createMaintenance(
  logger: Logger,
  countFailure: (by: number, step: MaintenanceStep) => void,
) {
  const failures: string[] = []
  const results: Partial<Record<MaintenanceStep, unknown>> = {}
  return {
    results,
    /** Returns the result of the step, or null if it failed. Throws if no other step could run either. */
    async run<Result>(
      step: MaintenanceStep,
      work: () => Promise<Result>,
      table?: string,
    ): Promise<Result | null> {
      try {
        const result = await work()
        results[step] = result
        return result
      } catch (error) {
        const cause = unavailabilityOf(error)
        // A full disk does not concern all steps: dropping partitions frees it.
        if (cause === 'unreachable' || cause === 'pool_exhausted' || cause === 'stopping')
          throw error
        const of = table === undefined ? '' : ` of ${table}`
        failures.push(`${step}${of} (${error instanceof Error ? error.message : String(error)})`)
        countFailure(1, step)
        logger.warn(
          { event: 'maintenance.failed', step, ...(of && { table }), error },
          'a step of the maintenance failed; it is tried again',
        )
        return null
      }
    },
    /** Throws if a step failed, so that the job is retried. */
    end(): void {
      if (failures.length === 0) return
      // Without the errors as its cause: the job fails also if each of them means that others hold locks.
      throw new Error(
        `The other steps of the maintenance have run, but these failed: ${failures.join('; ')}.`,
      )
    },
  }
}

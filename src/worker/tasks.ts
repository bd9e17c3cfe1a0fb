import { eraseOldAuditEntries } from '../audit/erase-old-entries.ts'
import type { Database } from '../db/client.ts'
import { deliveryAtHand } from '../deliveries/at-hand.ts'
import { type AttemptDeps, attemptDelivery } from '../deliveries/attempt-delivery.ts'
import { cancelDeliveriesOfWebhook } from '../deliveries/cancel-deliveries.ts'
import { eraseOldRecoveries } from '../deliveries/erase-old-recoveries.ts'
import { markLingeringDeliveries } from '../deliveries/mark-lingering.ts'
import { takeRecoveryTurn } from '../deliveries/recovery-turn.ts'
import { maintainPartitions } from '../deliveries/retention.ts'
import { sweepOrphans } from '../deliveries/sweep-orphans.ts'
import type { Flow } from '../flow/flow.ts'
import { tidyLines } from '../flow/tidy-lines.ts'
import { eraseExpiredIdempotencyKeys } from '../idempotency.ts'
import { type IdKind, parseId } from '../ids.ts'
import { eraseEndedSessions } from '../sessions/ended-sessions.ts'
import type { ReportOrphans } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { addUpHours, eraseOldStatistics } from '../webhooks/keep-statistics.ts'
import { eraseExpiredSecrets } from '../webhooks/signing-secret.ts'
import type { Tasks } from './task-runs.ts'

export interface TaskDeps {
  readonly database: Database
  readonly attempt: AttemptDeps
  readonly flow: Flow
  readonly retentionMs: number
  readonly auditRetentionMs: number
  readonly logger: Logger
  readonly reportOrphans: ReportOrphans
}

/** The tasks of the worker. Each reads its payload and calls the domain; none decides anything. */
export function createTasks({
  database,
  attempt,
  flow,
  retentionMs,
  auditRetentionMs,
  logger,
  reportOrphans,
}: TaskDeps): Tasks {
  const { pool } = database
  return {
    deliver: (payload, signal) =>
      attemptDelivery(attempt, payload.deliveryId, signal, deliveryAtHand(payload)),

    async release_waiting_deliveries({ webhookId }) {
      await flow.release(uuidOf('webhook', webhookId))
    },

    async cancel_deliveries({ webhookId }) {
      await cancelDeliveriesOfWebhook(pool, uuidOf('webhook', webhookId))
    },

    recover_deliveries: ({ recoveryId }, signal) =>
      takeRecoveryTurn(database.prisma, recoveryId, signal),

    async maintain() {
      const partitions = await maintainPartitions(pool, retentionMs)
      const recoveries = await eraseOldRecoveries(pool, retentionMs)
      const statistics = await eraseOldStatistics(pool, retentionMs)
      const secrets = await eraseExpiredSecrets(pool)
      const idempotencyKeys = await eraseExpiredIdempotencyKeys(pool)
      const sessions = await eraseEndedSessions(pool)
      const auditEntries = await eraseOldAuditEntries(pool, auditRetentionMs)
      logger.debug(
        { partitions, recoveries, statistics, secrets, idempotencyKeys, sessions, auditEntries },
        'maintenance done',
      )
    },

    sweep_orphans: async (_payload, signal) => reportOrphans(await sweepOrphans(pool, { signal })),

    async keep_up() {
      const lingering = await markLingeringDeliveries(pool)
      const hours = await addUpHours(pool)
      const lines = await tidyLines(pool)
      logger.debug({ lingering, hours, lines }, 'lists and statistics are up to date')
    },
  }
}

function uuidOf(kind: IdKind, id: string): string {
  const uuid = parseId(kind, id)
  if (!uuid)
    throw new Error(`A job's payload names ${JSON.stringify(id)}, which is no id of a ${kind}.`)
  return uuid
}

import type { Database } from '../db/client.ts'
import { type AttemptDeps, attemptDelivery } from '../deliveries/attempt-delivery.ts'
import { cancelDeliveriesOfWebhook } from '../deliveries/cancel-deliveries.ts'
import { markLingeringDeliveries } from '../deliveries/mark-lingering.ts'
import { maintainPartitions } from '../deliveries/retention.ts'
import { releaseWaiting } from '../deliveries/set-aside.ts'
import { eraseExpiredIdempotencyKeys } from '../idempotency.ts'
import { type IdKind, parseId } from '../ids.ts'
import type { Logger } from '../telemetry/logger.ts'
import { addUpHours, eraseOldStatistics } from '../webhooks/keep-statistics.ts'
import { eraseExpiredSecrets } from '../webhooks/signing-secret.ts'
import type { Tasks } from './runner.ts'

export interface TaskDeps {
  readonly database: Database
  readonly attempt: AttemptDeps
  readonly retentionMs: number
  readonly logger: Logger
}

/** The tasks of the worker. Each reads its payload and calls the domain; none decides anything. */
export function createTasks({ database, attempt, retentionMs, logger }: TaskDeps): Tasks {
  const { pool } = database
  return {
    deliver: ({ deliveryId }, signal) => attemptDelivery(attempt, deliveryId, signal),

    async release_waiting_deliveries({ webhookId }) {
      await releaseWaiting(pool, uuidOf('webhook', webhookId))
    },

    async cancel_deliveries({ webhookId }) {
      await cancelDeliveriesOfWebhook(pool, uuidOf('webhook', webhookId))
    },

    async maintain() {
      const partitions = await maintainPartitions(pool, retentionMs)
      const statistics = await eraseOldStatistics(pool, retentionMs)
      const secrets = await eraseExpiredSecrets(pool)
      const idempotencyKeys = await eraseExpiredIdempotencyKeys(pool)
      logger.debug({ partitions, statistics, secrets, idempotencyKeys }, 'maintenance done')
    },

    async keep_up() {
      const lingering = await markLingeringDeliveries(pool)
      const hours = await addUpHours(pool)
      logger.debug({ lingering, hours }, 'lists and statistics are up to date')
    },
  }
}

function uuidOf(kind: IdKind, id: string): string {
  const uuid = parseId(kind, id)
  if (!uuid)
    throw new Error(`A job's payload names ${JSON.stringify(id)}, which is no id of a ${kind}.`)
  return uuid
}

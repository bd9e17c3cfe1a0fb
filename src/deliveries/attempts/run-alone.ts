import type { Database, Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { inTransaction } from '../../db/transaction.ts'
import { TASK_PREFIX } from '../../queue/jobs.ts'
import type { ExchangeControl, Exchanged, StartedAttempt } from './exchange.ts'
import { DEATHS_TOGETHER, type LoadedDelivery, mustRunAlone } from './load-delivery.ts'

/** `changed`: the delivery must be loaded again. */
export type ExchangedAlone = Exchanged | 'changed' | 'aborted' | 'thread ended'

/** A thread for one exchange at a time. If it ends, nothing else does. */
export interface ExchangeThread extends AsyncDisposable {
  /** Starts the thread, if it does not run. */
  open(): Promise<void>
  exchange(
    delivery: LoadedDelivery,
    started: StartedAttempt,
    control: ExchangeControl,
  ): Promise<ExchangedAlone>
}

export type RunAlone = ReturnType<typeof createRunAlone>

/**
 * Runs the attempts of deliveries whose worker died with them twice, one at a time. Many of these are innocent: they were
 * claimed by the same worker. They have a thread of their own, so that none takes another attempt along.
 */
export function createRunAlone(pool: Database['pool'], thread: ExchangeThread) {
  let last: Promise<void> = Promise.resolve()
  return {
    /** Waits for the thread. */
    withThread(attempt: () => Promise<void>): Promise<void> {
      const ended = last.then(attempt)
      last = ended.catch(() => {})
      return ended
    },

    /** Moves the job of a delivery to a queue, in which its organization has one job at a time. */
    queue: (delivery: LoadedDelivery) => inTransaction(pool, (sql) => moveJob(sql, delivery)),

    /** The exchange of a suspect. If it does not run alone, it died there before. */
    async exchange(
      isAlone: boolean,
      delivery: LoadedDelivery,
      started: StartedAttempt,
      control: ExchangeControl,
    ): Promise<Exclude<ExchangedAlone, 'thread ended'>> {
      if (!isAlone || !mustRunAlone(delivery)) return { unsent: 'worker_died' }
      await thread.open()
      // Before the exchange, so that it counts whatever ends the process.
      await pool.query(COUNT_ALONE, [delivery.id, 1])
      let exchanged: ExchangedAlone = 'changed'
      try {
        exchanged = await thread.exchange(delivery, started, control)
      } finally {
        if (!isOutcome(exchanged)) await pool.query(COUNT_ALONE, [delivery.id, 0])
      }
      return exchanged === 'thread ended' ? { unsent: 'worker_died' } : exchanged
    },
  }
}

/** The record of an outcome sets the count. */
function isOutcome(exchanged: ExchangedAlone): boolean {
  if (typeof exchanged === 'string') return exchanged === 'thread ended'
  return 'unsent' in exchanged || exchanged.outcome.kind !== 'aborted'
}

const COUNT_ALONE = `
  update posthorn.deliveries set worker_deaths = ${DEATHS_TOGETHER} + $2::int
  where id = $1 and worker_deaths >= ${DEATHS_TOGETHER} and state = 'pending'`

/** The claimed job loses its key, as if the delivery were scheduled again. */
async function moveJob(sql: Sql, delivery: LoadedDelivery): Promise<void> {
  const deliveryId = publicId('delivery', delivery.id)
  const organizationId = publicId('organization', delivery.organizationId)
  const payload = {
    deliveryId,
    webhookId: publicId('webhook', delivery.webhookId),
    eventType: delivery.eventType,
    organizationId,
    alone: true,
  }
  await sql.query(`select posthorn.enqueue('deliver', $1::json, $2, now(), $3)`, [
    JSON.stringify(payload),
    deliveryId,
    `${TASK_PREFIX}alone:${organizationId}`,
  ])
  // Gives the job the attempts of the delivery.
  await sql.query(
    `with moved as (
       update posthorn.deliveries set job_written_at = now()
       where id = $1 and state = 'pending' and parked_at is null returning *
     )
     select posthorn.run_delivery_now(row(id, webhook_id, organization_id, event_type, now(), attempt_count,
       greatest(max_attempts, attempt_count + 1), last_error)::posthorn.delivery_job)
     from moved`,
    [delivery.id],
  )
}

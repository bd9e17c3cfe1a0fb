import { Gauge, Registry } from 'prom-client'
import { type DatabaseState, OVERDUE_AFTER_SECONDS } from './database-state.ts'
import type { MetricsSnapshot } from './metrics.ts'

/** The gauges of the whole installation. */
export interface DatabaseMetrics {
  show(state: DatabaseState, readSeconds: number): Promise<MetricsSnapshot>
}

/** Those of the view `posthorn.webhook_states`. */
const STATES = ['no_deliveries', 'healthy', 'degraded', 'behind', 'failing', 'on_hold', 'disabled']
const CONSUMER_STATES = ['healthy', 'behind', 'no_pulls']
const REASONS = ['disabled', 'on_hold', 'rate_limit', 'concurrency_limit', 'ordered']

export function createDatabaseMetrics(registry = new Registry()): DatabaseMetrics {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `posthorn_${name}`, help, labelNames, registers: [registry] })
  const deliveries = gauge(
    'deliveries',
    'Deliveries that are not final: queued (no attempt yet), retrying, or waiting in the backlogs of their webhooks.',
    ['state'],
  )
  const oldest = gauge(
    'deliveries_oldest_age_seconds',
    'The time since the oldest delivery in this state was created; 0 if there is none.',
    ['state'],
  )
  const overdue = gauge(
    'deliveries_overdue',
    `Deliveries whose next attempt is more than ${OVERDUE_AFTER_SECONDS} seconds late because no worker has claimed it.`,
  )
  const longestOverdue = gauge(
    'deliveries_longest_overdue_seconds',
    'How late the most overdue delivery is; 0 if none is overdue.',
  )
  const capped = gauge(
    'deliveries_counts_capped',
    '1 if there are more jobs or waiting deliveries than were counted, so that the counts are too small; otherwise 0.',
  )
  const toCreate = gauge(
    'fan_out_deliveries',
    'Deliveries that are not created yet, of published events for many webhooks.',
  )
  const oldestFanOut = gauge(
    'fan_out_oldest_age_seconds',
    'The time since the oldest event whose deliveries are not all created was published; 0 if there is none.',
  )
  const webhooks = gauge(
    'webhooks',
    'Webhooks by state: no_deliveries, healthy, degraded, behind, failing, on_hold or disabled.',
    ['state'],
  )
  const oldestWaiting = gauge(
    'deliveries_waiting_oldest_age_seconds',
    'The time since the oldest waiting delivery of a webhook was created, by what the webhook waits for: disabled, on_hold, rate_limit, concurrency_limit or ordered; 0 if there is none.',
    ['reason'],
  )
  const onHold = gauge(
    'webhooks_on_hold',
    'Webhooks on hold because they keep failing, not because their endpoint asked to wait.',
  )
  const longestHold = gauge(
    'webhooks_longest_hold_seconds',
    'How long one of the webhooks that keep failing has been on hold, at most; 0 if none is.',
  )
  const backlogs = gauge('webhooks_with_backlog', 'Webhooks with waiting deliveries.')
  const consumers = gauge(
    'consumers',
    'Consumers, which ask for events, by state: healthy, behind or no_pulls.',
    ['state'],
  )
  const oldestConsumer = gauge(
    'consumers_oldest_age_seconds',
    'The time since the oldest event that a consumer has not acknowledged was published; events of other types count until the next pull. 0 if there is none.',
  )
  const missedEvents = gauge(
    'consumers_missed_events',
    'Events whose retention ended before the present consumers acknowledged them.',
  )
  const workers = gauge('workers', 'Workers with a heartbeat in the last 12 seconds.')
  const ahead = gauge(
    'partitions_ahead',
    'Days after today that have a partition of each table: 7 after each run of the maintenance.',
  )
  const past = gauge(
    'partitions_past_retention',
    'Partitions that POSTHORN_RETENTION should have dropped, and default partitions with rows that it should have deleted.',
  )
  const read = gauge('state_read_seconds', 'How long Postgres took to count all this.')
  return {
    async show(state, readSeconds) {
      deliveries.set({ state: 'queued' }, state.queued)
      deliveries.set({ state: 'retrying' }, state.retrying)
      deliveries.set({ state: 'waiting' }, state.waiting)
      oldest.set({ state: 'queued' }, state.oldestQueuedAge)
      oldest.set({ state: 'retrying' }, state.oldestRetryingAge)
      oldest.set({ state: 'waiting' }, state.oldestWaitingAge)
      overdue.set(state.overdue)
      longestOverdue.set(state.longestOverdue)
      capped.set(Number(state.isCapped))
      toCreate.set(state.toCreate)
      oldestFanOut.set(state.oldestFanOutAge)
      for (const name of STATES) webhooks.set({ state: name }, state.webhooks[name] ?? 0)
      for (const reason of REASONS) {
        oldestWaiting.set({ reason }, state.oldestWaitingAges[reason] ?? 0)
      }
      onHold.set(state.webhooksOnHold)
      longestHold.set(state.longestHold)
      backlogs.set(state.webhooksWithBacklog)
      for (const name of CONSUMER_STATES) {
        consumers.set({ state: name }, state.consumers[name] ?? 0)
      }
      oldestConsumer.set(state.oldestConsumerAge)
      missedEvents.set(state.missedEvents)
      workers.set(state.workers)
      ahead.set(state.partitionsAhead)
      past.set(state.partitionsPastRetention)
      read.set(readSeconds)
      return await registry.getMetricsAsJSON()
    },
  }
}

import type { Sql } from '../db/client.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { batched } from '../lib/batch.ts'
import type { Notify } from '../streams/live/notify.ts'
import { openBacklog, releaseBacklog } from './backlog.ts'
import { HAS_PROBE, releaseProbe } from './circuit-breaker.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { endWaits } from './retry-after-hold.ts'

interface Backlog {
  readonly webhookId: string
  readonly organizationId: string
  readonly maxInFlight: number | null
  /** Whether new deliveries are parked. A drained backlog may have deliveries that were published concurrently. */
  readonly isOpen: boolean
  readonly onHold: boolean
  /** Whether the endpoint asked to wait until now. */
  readonly waitIsOver: boolean
  readonly probeDue: boolean
  readonly probeCount: number
}

/** Releases parked deliveries up to the free capacity of this process. */
export function createBacklogReleaser(sql: Sql, limiter: ConcurrencyLimiter, notify: Notify) {
  let backlogs = new Map<string, Backlog>()
  /** How many released deliveries have not arrived at the limiter yet. */
  let inTransit = new Map<string, number>()
  /** Two releases at a time, one for each organization. */
  const permits = new FairQueue(2)
  let rounds = 0

  function freeForWebhook(webhookId: string): number {
    const fixedLimit = backlogs.get(webhookId)?.maxInFlight ?? null
    return limiter.freeForWebhook(webhookId, fixedLimit) - (inTransit.get(webhookId) ?? 0)
  }

  function freeForOrganization(organizationId: string): number {
    let free = limiter.freeForOrganization(organizationId)
    for (const [webhookId, count] of inTransit) {
      if (backlogs.get(webhookId)?.organizationId === organizationId) free -= count
    }
    return free
  }

  /** From one backlog of an organization at a time. Each round begins with another one, as the last ones may get nothing. */
  async function releaseFrom(webhookIds: readonly string[]): Promise<void> {
    const wanted = webhookIds.filter((webhookId) => freeForWebhook(webhookId) > 0)
    const byOwner = Map.groupBy(wanted, (id) => backlogs.get(id)?.organizationId ?? id)
    rounds += 1
    await Promise.all(
      [...byOwner].map(async ([owner, own]) => {
        let free = freeForOrganization(owner)
        const each = Math.ceil(free / own.length)
        const first = rounds % own.length
        for (const webhookId of [...own.slice(first), ...own.slice(0, first)]) {
          await permits.acquire(owner)
          try {
            free -= await releaseSome(webhookId, Math.min(each, free))
          } finally {
            permits.release(owner)
          }
        }
      }),
    )
  }

  async function releaseSome(webhookId: string, max: number): Promise<number> {
    const limit = Math.min(max, freeForWebhook(webhookId))
    const released = limit > 0 ? await releaseBacklog(sql, webhookId, limit) : 0
    if (released > 0) inTransit.set(webhookId, (inTransit.get(webhookId) ?? 0) + released)
    return released
  }

  /** A running release may not see the changes of its caller, who waits for the next one. */
  const release = batched(
    async (given: string[]): Promise<undefined[]> => {
      const webhookIds = [...new Set(given)]
      for (const webhookId of webhookIds) {
        // The schedule of a drained backlog may have been pruned.
        if (!backlogs.get(webhookId)?.isOpen) await openBacklog(sql, webhookId)
      }
      await releaseFrom(webhookIds)
      return given.map(() => undefined)
    },
    { maxSize: 100, parallel: 1 },
  )

  /** Reads all backlogs, releases from each one, and releases due probes. */
  async function releaseAll(): Promise<void> {
    const rows = await readBacklogs(sql)
    backlogs = new Map(rows.map((row) => [row.webhookId, row]))
    limiter.setBacklogged(new Set(backlogs.keys()))
    inTransit = new Map()
    for (const { webhookId, probeDue, probeCount } of rows) {
      // The first one came after a delay of its own.
      if (probeDue) await releaseProbe(sql, webhookId, probeCount + 1)
    }
    const over = rows.filter(({ waitIsOver }) => waitIsOver).map(({ webhookId }) => webhookId)
    if (over.length > 0) for (const id of await endWaits(sql, over)) notify(id)
    const ready = rows.filter(({ onHold, waitIsOver }) => !onHold || waitIsOver)
    await releaseFrom(ready.map(({ webhookId }) => webhookId))
  }

  return {
    releaseAll,

    /** Releases from one backlog. */
    release: async (webhookId: string): Promise<void> => await release(webhookId),

    /** Call it for each delivery that arrives at the limiter, so that a released one is not counted twice. */
    countArrival(webhookId: string): void {
      const expected = inTransit.get(webhookId)
      if (expected) inTransit.set(webhookId, expected - 1)
    },
  }
}

/** Uses the partial index webhook_schedules_backlogs, and deliveries_parked to find drained backlogs with deliveries. */
async function readBacklogs(sql: Sql): Promise<Backlog[]> {
  const { rows } = await sql.query<Backlog>({
    name: 'read_backlogs',
    text: `
      select s.webhook_id as "webhookId", w.organization_id as "organizationId", w.max_in_flight as "maxInFlight",
        s.backlog_since is not null as "isOpen", s.on_hold_since is not null as "onHold",
        s.on_hold_since is not null and s.on_hold_reason = 'retry_after' and s.next_probe_at <= now() as "waitIsOver",
        case when s.on_hold_reason = 'failing' and s.next_probe_at <= now() then ${HAS_PROBE} else false end as "probeDue",
        s.probe_count as "probeCount"
      from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
      where w.enabled and (s.backlog_since is not null or s.backlog_drained_at is not null and exists (
        select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null))`,
  })
  return rows
}

import type { Sql } from '../db/client.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { openBacklog, releaseBacklog } from './backlog.ts'
import { HAS_PROBE, releaseProbe } from './circuit-breaker.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { endWaitsWithoutProbe } from './retry-after-hold.ts'

export type BacklogReleaser = ReturnType<typeof createBacklogReleaser>

interface Backlog {
  readonly webhookId: string
  readonly organizationId: string
  readonly maxInFlight: number | null
  /** Whether new deliveries are parked. A drained backlog may have deliveries that were published concurrently. */
  readonly isOpen: boolean
  readonly onHold: boolean
  readonly probeDue: boolean
  /** Whether the endpoint may be asked again and there is no delivery to probe with. */
  readonly waitIsOver: boolean
  /** The first probe of an open circuit breaker came after a delay of its own. */
  readonly delayCount: number
}

interface Share {
  readonly webhookId: string
  readonly count: number
}

/** Releases parked deliveries up to the free capacity of this process. */
export function createBacklogReleaser(
  sql: Sql,
  limiter: ConcurrencyLimiter,
  aheadMs: () => number,
  onResumed: (organizationId: string) => void,
) {
  let backlogs = new Map<string, Backlog>()
  /** How many released deliveries have not arrived at the limiter yet. */
  let inTransit = new Map<string, number>()
  const releasing = new Map<string, Promise<void>>()
  const queued = new Map<string, Promise<void>>()
  /** Two releases at a time, one for each organization. */
  const permits = new FairQueue(2)
  let rounds = 0

  function freeForWebhook(webhookId: string): number {
    const fixedLimit = backlogs.get(webhookId)?.maxInFlight ?? null
    return limiter.freeForWebhook(webhookId, fixedLimit) - (inTransit.get(webhookId) ?? 0)
  }

  function freeForOrganization(organizationId: string): { all: number; unresponsive: number } {
    let all = limiter.freeForOrganization(organizationId)
    let unresponsive = limiter.freeForUnresponsive(organizationId)
    for (const [webhookId, count] of inTransit) {
      if (backlogs.get(webhookId)?.organizationId !== organizationId) continue
      all -= count
      if (limiter.isUnresponsive(webhookId)) unresponsive -= count
    }
    return { all, unresponsive }
  }

  function divideCapacity(webhookIds: readonly string[]): Share[] {
    const wanted = webhookIds
      .map((webhookId) => ({ webhookId, count: freeForWebhook(webhookId) }))
      .filter(({ count }) => count > 0)
    rounds += 1
    const byOrganization = Map.groupBy(
      wanted,
      ({ webhookId }) => backlogs.get(webhookId)?.organizationId,
    )
    return [...byOrganization].flatMap(([organizationId, shares]) =>
      organizationId === undefined ? shares : divideOrganizationCapacity(organizationId, shares),
    )
  }

  /** Each round begins with another backlog, as the last ones may get nothing. */
  function divideOrganizationCapacity(organizationId: string, wanted: readonly Share[]): Share[] {
    const free = freeForOrganization(organizationId)
    const each = Math.ceil(free.all / wanted.length)
    const first = rounds % wanted.length
    return [...wanted.slice(first), ...wanted.slice(0, first)].map(({ webhookId, count }) => {
      const isUnresponsive = limiter.isUnresponsive(webhookId)
      const left = isUnresponsive ? Math.min(free.all, free.unresponsive) : free.all
      const share = Math.max(0, Math.min(count, each, left))
      free.all -= share
      if (isUnresponsive) free.unresponsive -= share
      return { webhookId, count: share }
    })
  }

  async function releaseFrom(webhookIds: readonly string[]): Promise<void> {
    const shares = divideCapacity(webhookIds).filter(({ count }) => count > 0)
    await Promise.all(
      shares.map(async ({ webhookId, count }) => {
        const owner = backlogs.get(webhookId)?.organizationId ?? webhookId
        await permits.acquire(owner)
        try {
          await releaseShare(webhookId, count)
        } finally {
          permits.release(owner)
        }
      }),
    )
  }

  /** The capacity may have been used up since it was divided. */
  async function releaseShare(webhookId: string, count: number): Promise<void> {
    const limit = Math.min(count, freeForWebhook(webhookId))
    const released = limit > 0 ? await releaseBacklog(sql, webhookId, limit) : 0
    if (released > 0) inTransit.set(webhookId, (inTransit.get(webhookId) ?? 0) + released)
  }

  function releaseAfter(webhookId: string, before: Promise<void> = Promise.resolve()) {
    const own: Promise<void> = before
      .catch(() => {})
      .then(async () => {
        queued.delete(webhookId)
        releasing.set(webhookId, own)
        // The schedule of a drained backlog may have been pruned.
        if (!backlogs.get(webhookId)?.isOpen) await openBacklog(sql, webhookId)
        await releaseFrom([webhookId])
      })
      .finally(() => {
        if (releasing.get(webhookId) === own) releasing.delete(webhookId)
      })
    queued.set(webhookId, own)
    return own
  }

  /** Reads all backlogs, releases from each one, and releases due probes. */
  async function releaseAll(): Promise<void> {
    const rows = await readBacklogs(sql, aheadMs())
    backlogs = new Map(rows.map((row) => [row.webhookId, row]))
    limiter.setBacklogged(new Set(backlogs.keys()))
    inTransit = new Map()
    for (const { webhookId, probeDue, delayCount } of rows) {
      if (probeDue) await releaseProbe(sql, webhookId, delayCount, aheadMs())
    }
    if (rows.some(({ waitIsOver }) => waitIsOver)) {
      for (const id of await endWaitsWithoutProbe(sql, aheadMs())) onResumed(id)
    }
    await releaseFrom(rows.filter((row) => !row.onHold).map((row) => row.webhookId))
  }

  return {
    releaseAll,

    /** Releases from one backlog. */
    async release(webhookId: string): Promise<void> {
      // A running release may not see the caller's changes, so the caller waits for the next one.
      await (queued.get(webhookId) ?? releaseAfter(webhookId, releasing.get(webhookId)))
    },

    /** Call it for each delivery that arrives at the limiter, so that a released one is not counted twice. */
    countArrival(webhookId: string): void {
      const expected = inTransit.get(webhookId)
      if (expected) inTransit.set(webhookId, expected - 1)
    },
  }
}

/** Uses the partial index webhook_schedules_backlogs, and deliveries_parked to find drained backlogs with deliveries. */
async function readBacklogs(sql: Sql, aheadMs: number): Promise<Backlog[]> {
  const { rows } = await sql.query<Backlog>({
    name: 'read_backlogs',
    text: `
      select s.webhook_id as "webhookId", w.organization_id as "organizationId", w.max_in_flight as "maxInFlight",
        s.backlog_since is not null as "isOpen", s.on_hold_since is not null as "onHold",
        coalesce(probe.exists, false) as "probeDue",
        coalesce(s.on_hold_reason = 'retry_after' and not probe.exists, false) as "waitIsOver",
        s.probe_count + (s.on_hold_reason = 'failing')::int as "delayCount"
      from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
      cross join lateral (
        select case when s.next_probe_at <= now() + $1 * interval '1 millisecond' then ${HAS_PROBE} end as exists offset 0
      ) as probe
      where w.enabled and (s.backlog_since is not null or s.backlog_drained_at is not null and exists (
        select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null))`,
    values: [aheadMs],
  })
  return rows
}

import type { Sql } from '../db/client.ts'
import { openBacklog, releaseBacklog } from './backlog.ts'
import { releaseProbe } from './circuit-breaker.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'

/** Releases parked deliveries up to the free capacity of this process. */
export interface BacklogReleaser {
  /** Looks at every backlog: those that other processes opened or drained, and the probes whose time has come. */
  look(): Promise<void>
  /** Releases from one backlog now. */
  release(webhookId: string): Promise<void>
  /** To be called for each delivery that comes, so that what was released is not counted twice. */
  arrived(webhookId: string): void
}

interface Backlog {
  readonly webhookId: string
  readonly organizationId: string
  readonly maxInFlight: number | null
  /** Whether new deliveries are parked. Into one that is drained, publishers may have parked some meanwhile. */
  readonly isOpen: boolean
  readonly onHold: boolean
  readonly probeDue: boolean
  readonly probeCount: number
}

interface Share {
  readonly webhookId: string
  readonly room: number
}

export function createBacklogReleaser(
  sql: Sql,
  limiter: ConcurrencyLimiter,
  now: () => Date,
): BacklogReleaser {
  let backlogs = new Map<string, Backlog>()
  /** What was released and has not arrived at the limiter yet. */
  let coming = new Map<string, number>()
  const releasing = new Map<string, Promise<void>>()
  const queued = new Map<string, Promise<void>>()
  let rounds = 0

  function roomFor(webhookId: string): number {
    const fixedLimit = backlogs.get(webhookId)?.maxInFlight ?? null
    return limiter.roomFor(webhookId, fixedLimit) - (coming.get(webhookId) ?? 0)
  }

  function roomOf(organizationId: string): number {
    let room = limiter.roomOf(organizationId)
    for (const [webhookId, count] of coming) {
      if (backlogs.get(webhookId)?.organizationId === organizationId) room -= count
    }
    return room
  }

  /** The room of an organization is divided among its backlogs, beginning with another one each time. */
  function divideRoom(webhookIds: readonly string[]): Share[] {
    const wanted = webhookIds
      .map((webhookId) => ({ webhookId, room: roomFor(webhookId) }))
      .filter(({ room }) => room > 0)
    rounds += 1
    const byOrganization = Map.groupBy(
      wanted,
      ({ webhookId }) => backlogs.get(webhookId)?.organizationId,
    )
    return [...byOrganization].flatMap(([organizationId, shares]) =>
      organizationId === undefined ? shares : divideRoomOf(organizationId, shares),
    )
  }

  function divideRoomOf(organizationId: string, wanted: readonly Share[]): Share[] {
    let left = roomOf(organizationId)
    const each = Math.ceil(left / wanted.length)
    const first = rounds % wanted.length
    return [...wanted.slice(first), ...wanted.slice(0, first)].map(({ webhookId, room }) => {
      const share = Math.max(0, Math.min(room, each, left))
      left -= share
      return { webhookId, room: share }
    })
  }

  async function releaseAll(webhookIds: readonly string[]): Promise<void> {
    const shares = divideRoom(webhookIds).filter(({ room }) => room > 0)
    await Promise.all(
      shares.map(async ({ webhookId, room }) => {
        const count = await releaseBacklog(sql, webhookId, room)
        if (count > 0) coming.set(webhookId, (coming.get(webhookId) ?? 0) + count)
      }),
    )
  }

  function releaseAfter(webhookId: string, before: Promise<void> = Promise.resolve()) {
    const own: Promise<void> = before
      .catch(() => {})
      .then(async () => {
        queued.delete(webhookId)
        releasing.set(webhookId, own)
        // A drained one may have been pruned by now.
        if (!backlogs.get(webhookId)?.isOpen) await openBacklog(sql, webhookId)
        await releaseAll([webhookId])
      })
      .finally(() => {
        if (releasing.get(webhookId) === own) releasing.delete(webhookId)
      })
    queued.set(webhookId, own)
    return own
  }

  async function look(): Promise<void> {
    const at = now()
    const rows = await readBacklogs(sql, at)
    backlogs = new Map(rows.map((row) => [row.webhookId, row]))
    limiter.setBacklogged(new Set(backlogs.keys()))
    coming = new Map()
    for (const { webhookId, probeDue, probeCount } of rows) {
      if (probeDue) await releaseProbe(sql, webhookId, probeCount, at)
    }
    await releaseAll(rows.filter((row) => !row.onHold).map((row) => row.webhookId))
  }

  return {
    look,

    async release(webhookId) {
      // A release that has begun may not see what the caller did; one that is queued will.
      await (queued.get(webhookId) ?? releaseAfter(webhookId, releasing.get(webhookId)))
    },

    arrived(webhookId) {
      const expected = coming.get(webhookId)
      if (expected) coming.set(webhookId, expected - 1)
    },
  }
}

/** The partial index webhook_schedules_backlogs serves it; deliveries_parked shows which of the drained ones have more. */
async function readBacklogs(sql: Sql, now: Date): Promise<Backlog[]> {
  const { rows } = await sql.query<Backlog>({
    name: 'read_backlogs',
    text: `
      select s.webhook_id as "webhookId", w.organization_id as "organizationId", w.max_in_flight as "maxInFlight",
        s.backlog_since is not null as "isOpen", s.on_hold_since is not null as "onHold",
        coalesce(s.next_probe_at <= $1, false) as "probeDue", s.probe_count as "probeCount"
      from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
      where w.enabled and (s.backlog_since is not null or s.backlog_drained_at is not null and exists (
        select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null))`,
    values: [now],
  })
  return rows
}

import type { Sql } from '../db/client.ts'
import { DEFAULT_MAX_IN_FLIGHT } from '../webhooks/send-options.ts'
import { releaseProbe } from './breaker.ts'
import type { Gate } from './gate.ts'

/** Makes due what waits in lines, as the gate of this process has room for it. */
export interface LineReleaser {
  /** Looks at every line: those that began or ended elsewhere, and the probes whose time has come. */
  look(): Promise<void>
  /** Of one webhook, at once. */
  release(webhookId: string): Promise<void>
  /** To be told of each delivery that comes, so that what was released is not counted twice. */
  arrived(webhookId: string): void
}

interface LineRow {
  readonly webhookId: string
  readonly organizationId: string
  readonly maxInFlight: number
  /** Whether it was not found empty when it was last looked at. */
  readonly open: boolean
  readonly held: boolean
  readonly probeDue: boolean
  readonly probesBefore: number
}

export function createLineReleaser(sql: Sql, gate: Gate, now: () => Date): LineReleaser {
  /** The webhooks that have a line, by their ids. */
  let known = new Map<string, LineRow>()
  /** What was released and has not come to the gate yet. */
  let coming = new Map<string, number>()
  /** What releases a webhook's line now, and what will do so once that is done. */
  const underWay = new Map<string, Promise<void>>()
  const queued = new Map<string, Promise<void>>()
  let turn = 0

  function roomFor(webhookId: string): number {
    const cap = known.get(webhookId)?.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
    return gate.roomFor(webhookId, cap) - (coming.get(webhookId) ?? 0)
  }

  function roomOf(organizationId: string): number {
    let room = gate.roomOf(organizationId)
    for (const [webhookId, count] of coming) {
      if (known.get(webhookId)?.organizationId === organizationId) room -= count
    }
    return room
  }

  /** What an organization has room for is shared out among its webhooks, beginning with another one each time. */
  function shareOut(webhookIds: readonly string[]): { id: string; room: number }[] {
    const wanted = webhookIds
      .map((id) => ({ id, room: roomFor(id) }))
      .filter(({ room }) => room > 0)
    turn += 1
    const byOrganization = Map.groupBy(wanted, ({ id }) => known.get(id)?.organizationId)
    return [...byOrganization].flatMap(([organizationId, own]) => {
      if (organizationId === undefined) return own
      const [open, empty] = partition(own, ({ id }) => known.get(id)?.open ?? true)
      let left = roomOf(organizationId)
      const each = Math.ceil(left / open.length)
      const first = turn % open.length
      const shares = [...open.slice(first), ...open.slice(0, first)].map(({ id, room }) => {
        const share = Math.max(0, Math.min(room, each, left))
        left -= share
        return { id, room: share }
      })
      // Where there is one after all, the line opens again.
      return [...shares, ...empty.map(({ id }) => ({ id, room: 1 }))]
    })
  }

  /** Answers of which there was anything. */
  async function releaseAll(webhookIds: readonly string[]): Promise<string[]> {
    const wanted = shareOut(webhookIds)
      .filter(({ room }) => room > 0)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (wanted.length === 0) return []
    const { rows } = await sql.query<{ id: string; released: number }>({
      name: 'release_waiting',
      text: `
        select wanted.id, posthorn.release_waiting(wanted.id, wanted.room) as released
        from unnest($1::uuid[], $2::int[]) as wanted (id, room)`,
      values: [wanted.map(({ id }) => id), wanted.map(({ room }) => room)],
    })
    const some = rows.filter(({ released }) => released > 0)
    for (const { id, released } of some) coming.set(id, (coming.get(id) ?? 0) + released)
    return some.map(({ id }) => id)
  }

  function releaseAfter(webhookId: string, before: Promise<void> = Promise.resolve()) {
    const own: Promise<void> = before
      .catch(() => {})
      .then(() => {
        queued.delete(webhookId)
        underWay.set(webhookId, own)
        return releaseAll([webhookId])
      })
      .then(() => {})
      .finally(() => {
        if (underWay.get(webhookId) === own) underWay.delete(webhookId)
      })
    queued.set(webhookId, own)
    return own
  }

  async function look(): Promise<void> {
    const at = now()
    const rows = await readLines(sql, at)
    known = new Map(rows.map((row) => [row.webhookId, row]))
    // One that was found empty has room for all: what a publisher still adds to it is found here.
    gate.setLined(new Set(rows.filter(({ open }) => open).map(({ webhookId }) => webhookId)))
    coming = new Map()
    for (const { webhookId, probeDue, probesBefore } of rows) {
      if (probeDue) await releaseProbe(sql, webhookId, probesBefore, at)
    }
    const some = await releaseAll(rows.filter((row) => !row.held).map((row) => row.webhookId))
    if (some.some((webhookId) => !known.get(webhookId)?.open)) await look()
  }

  return {
    look,

    async release(webhookId) {
      // One that runs already may not see what the caller knows of; one that waits for its end will.
      const own = queued.get(webhookId) ?? releaseAfter(webhookId, underWay.get(webhookId))
      await own
    },

    arrived(webhookId) {
      const expected = coming.get(webhookId)
      if (expected) coming.set(webhookId, expected - 1)
    },
  }
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean) {
  return [items.filter(belongs), items.filter((item) => !belongs(item))] as const
}

async function readLines(sql: Sql, now: Date): Promise<LineRow[]> {
  const { rows } = await sql.query<LineRow>({
    name: 'read_lines',
    text: `
      select f.webhook_id as "webhookId", w.organization_id as "organizationId",
        coalesce(w.max_in_flight, $2) as "maxInFlight", f.line_since is not null as open,
        f.held_since is not null as held, coalesce(f.next_probe_at <= $1, false) as "probeDue",
        f.probe_count as "probesBefore"
      from posthorn.webhook_flows as f join posthorn.webhooks as w on w.id = f.webhook_id
      where (f.line_since is not null or f.line_ended_at is not null) and w.enabled`,
    values: [now, DEFAULT_MAX_IN_FLIGHT],
  })
  return rows
}

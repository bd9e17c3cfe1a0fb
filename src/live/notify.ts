import type { Db, Sql } from '../db/client.ts'
import type { LiveEvent } from './live-event.ts'
import { CHANNEL, encodePayloads } from './payload.ts'

/** Sends live events to the listeners of all processes. Returns at once and never throws. */
export type Notify = (liveEvents: readonly LiveEvent[]) => void

/** Disposal waits until all live events are sent. */
export interface Notifier extends AsyncDisposable {
  readonly notify: Notify
}

/** Live events within this time are sent together. */
const GATHER_MS = 20

/**
 * More live events queue up only while Postgres is unreachable. They are dropped, as listeners read missed attempts from
 * the tables when they reconnect.
 */
const MAX_QUEUED = 10_000

/**
 * Notifies after the transaction that changed the rows, because Postgres serializes the commits of transactions that
 * notify, and attempts must be recorded concurrently. Listeners are looked up after that commit as well: a listener that
 * registers earlier is notified, and one that registers later finds the change in the tables.
 */
export function createNotifier(sql: Sql, onError: (error: unknown) => void): Notifier {
  let queued: LiveEvent[] = []
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (queued.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      const liveEvents = queued
      queued = []
      await notify(sql, liveEvents).catch(onError)
    }
    running = null
  }

  return {
    notify(liveEvents) {
      if (queued.length < MAX_QUEUED) queued.push(...liveEvents)
      if (queued.length > 0) running ??= run()
    },
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}

/** Sends live events without gathering. For rare changes. */
export async function notify(sql: Sql, liveEvents: readonly LiveEvent[]): Promise<void> {
  if (liveEvents.length === 0) return
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_listened_organizations',
    text: `
      select distinct organization_id as id from posthorn.live_listeners
      where organization_id = any ($1::uuid[]) and expires_at > now()`,
    values: [[...new Set(liveEvents.map(({ organizationId }) => organizationId))]],
  })
  if (rows.length === 0) return
  const listened = new Set(rows.map(({ id }) => id))
  const payloads = encodePayloads(
    liveEvents.filter(({ organizationId }) => listened.has(organizationId)),
  )
  await sql.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
    CHANNEL,
    payloads,
  ])
}

/** Notifies when the transaction commits. For rare changes. */
export async function notifyOnCommit(tx: Db, liveEvent: LiveEvent): Promise<void> {
  const [payload] = encodePayloads([liveEvent])
  await tx.$executeRaw`
    select pg_notify(${CHANNEL}, ${payload}) where exists (
      select from posthorn.live_listeners
      where organization_id = ${liveEvent.organizationId}::uuid and expires_at > now())`
}

import type { Db, Sql } from '../db/client.ts'
import type { LiveEvent } from './live-event.ts'
import { CHANNEL, encodePayloads } from './payload.ts'

/** Tells whoever listens, in any process, what happened. Never throws, and is not waited for. */
export type Notify = (liveEvents: readonly LiveEvent[]) => void

/** Disposing of it waits until all is told. */
export interface Notifier extends AsyncDisposable {
  readonly notify: Notify
}

/** What is told within this time is told together. */
const GATHER_MS = 20

/** More than this waits only while Postgres cannot be reached; who listens then reads what they missed from the tables. */
const MAX_WAITING = 10_000

/**
 * Notifies after the commit of what happened, apart from it: commits that notify wait for each other, and recording
 * must not. Whether anybody listens is asked after that commit, too. So whoever listens from before it is told, and
 * whoever begins later already finds it in the tables: nothing falls between.
 */
export function createNotifier(sql: Sql, onError: (error: unknown) => void): Notifier {
  let waiting: LiveEvent[] = []
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      const liveEvents = waiting
      waiting = []
      await notify(sql, liveEvents).catch(onError)
    }
    running = null
  }

  return {
    notify(liveEvents) {
      if (waiting.length < MAX_WAITING) waiting.push(...liveEvents)
      if (waiting.length > 0) running ??= run()
    },
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}

/** The same at once, for what is not done a thousand times a second. */
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
  const payloads = encodePayloads(liveEvents.filter((one) => listened.has(one.organizationId)))
  await sql.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
    CHANNEL,
    payloads,
  ])
}

/** Notifies when the transaction commits, and not at all when it does not. For what is done seldom. */
export async function notifyOnCommit(tx: Db, liveEvent: LiveEvent): Promise<void> {
  const [payload] = encodePayloads([liveEvent])
  await tx.$executeRaw`
    select pg_notify(${CHANNEL}, ${payload}) where exists (
      select from posthorn.live_listeners
      where organization_id = ${liveEvent.organizationId}::uuid and expires_at > now())`
}

import type { Db, Sql } from '../../db/client.ts'
import { repeat } from '../../lib/repeat.ts'

/** The Postgres channel of all streams. A payload is the uuid of an organization. */
export const CHANNEL = 'posthorn_live'

/**
 * Says that an organization has something new, to the processes with its streams, which read it from the tables. Returns
 * at once and never throws.
 */
export type Notify = (organizationId: string) => void

/** What is new within this time is one notification. */
const GATHER_MS = 100

/**
 * Notifies after the transaction that changed the rows, because Postgres serializes the commits of transactions that
 * notify, and attempts must be recorded concurrently. Disposal waits until all notifications are sent.
 */
export function createNotifier(
  sql: Sql,
  onError: (error: unknown) => void,
): AsyncDisposable & { readonly notify: Notify } {
  const gathered = new Set<string>()
  const send = async () => {
    const news = new Set(gathered)
    gathered.clear()
    await notify(sql, news)
  }
  const sending = repeat(GATHER_MS, send, onError)
  return {
    notify: (organizationId) => void gathered.add(organizationId),
    async [Symbol.asyncDispose]() {
      await sending[Symbol.asyncDispose]()
      await send().catch(onError)
    },
  }
}

/** Notifies of organizations without gathering, for rare changes. */
export async function notify(sql: Sql, organizationIds: ReadonlySet<string>): Promise<void> {
  if (organizationIds.size === 0) return
  await sql.query({
    name: 'notify_live',
    text: 'select pg_notify($1, payload) from unnest($2::text[]) as payload',
    values: [CHANNEL, [...organizationIds]],
  })
}

/** Notifies when the transaction commits. For rare changes. */
export async function notifyOnCommit(tx: Db, organizationId: string): Promise<void> {
  await tx.$executeRaw`select pg_notify(${CHANNEL}, ${organizationId})`
}

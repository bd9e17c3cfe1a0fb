import type { Db, Sql } from '../../db/client.ts'

/** The Postgres channel of all streams. */
export const CHANNEL = 'posthorn_live'

/**
 * Says that an organization has something new, to the processes with its streams. They read it from the tables: `since`
 * is the lowest UUIDv7 of it, because a transaction can commit after another one with higher ids. States have none.
 * Returns at once and never throws.
 */
export type Notify = (organizationId: string, since?: string) => void

/** Disposal waits until all notifications are sent. */
export interface Notifier extends AsyncDisposable {
  readonly notify: Notify
}

/** What is new within this time is one notification. */
const GATHER_MS = 20

/**
 * Notifies after the transaction that changed the rows, because Postgres serializes the commits of transactions that
 * notify, and attempts must be recorded concurrently.
 */
export function createNotifier(sql: Sql, onError: (error: unknown) => void): Notifier {
  let gathered = new Map<string, string | undefined>()
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (gathered.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      const news = gathered
      gathered = new Map()
      await notify(sql, news).catch(onError)
    }
    running = null
  }

  return {
    notify(organizationId, since) {
      gathered.set(organizationId, lowest(gathered.get(organizationId), since))
      running ??= run()
    },
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}

/** Notifies without gathering, for rare changes: of organizations, each with its `since`. */
export async function notify(
  sql: Sql,
  news: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  if (news.size === 0) return
  await sql.query({
    name: 'notify_live',
    text: 'select pg_notify($1, payload) from unnest($2::text[]) as payload',
    values: [CHANNEL, [...news].map((one) => one.join(' ').trimEnd())],
  })
}

/** Notifies of a new state when the transaction commits. For rare changes. */
export async function notifyOnCommit(tx: Db, organizationId: string): Promise<void> {
  await tx.$executeRaw`select pg_notify(${CHANNEL}, ${organizationId})`
}

export interface Notification {
  readonly organizationId: string
  readonly since: string | undefined
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const PAYLOAD = new RegExp(`^(${UUID})(?: (${UUID}))?$`)

/** Null for the payload of another program or version. */
export function decode(payload: string): Notification | null {
  const [, organizationId, since] = PAYLOAD.exec(payload) ?? []
  return organizationId === undefined ? null : { organizationId, since }
}

export function lowest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

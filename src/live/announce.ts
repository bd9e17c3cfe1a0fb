import type { Db, Sql } from '../db/client.ts'
import type { Happening } from './happening.ts'
import { CHANNEL, encodePayloads } from './payload.ts'

/** Tells whoever listens, in any process, what happened. Never throws, and is not waited for. */
export type Announce = (happenings: readonly Happening[]) => void

/** Disposing of it waits until all is told. */
export interface Announcer extends AsyncDisposable {
  readonly announce: Announce
}

/** What is told within this time is told together. */
const GATHER_MS = 20

/** More than this waits only while Postgres cannot be reached; who listens then reads what they missed from the tables. */
const MAX_WAITING = 10_000

/**
 * Announces after the commit of what happened, apart from it: commits that notify wait for each other, and recording
 * must not. Whether anybody listens is asked after that commit, too. So whoever listens from before it is told, and
 * whoever begins later already finds it in the tables: nothing falls between.
 */
export function createAnnouncer(sql: Sql, onError: (error: unknown) => void): Announcer {
  let waiting: Happening[] = []
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      const happenings = waiting
      waiting = []
      await announce(sql, happenings).catch(onError)
    }
    running = null
  }

  return {
    announce(happenings) {
      if (waiting.length < MAX_WAITING) waiting.push(...happenings)
      if (waiting.length > 0) running ??= run()
    },
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}

/** The same at once, for what is not done a thousand times a second. */
export async function announce(sql: Sql, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_listened_organizations',
    text: `
      select distinct organization_id as id from posthorn.live_listeners
      where organization_id = any ($1::uuid[]) and expires_at > now()`,
    values: [[...new Set(happenings.map(({ organizationId }) => organizationId))]],
  })
  if (rows.length === 0) return
  const listened = new Set(rows.map(({ id }) => id))
  const payloads = encodePayloads(happenings.filter((one) => listened.has(one.organizationId)))
  await sql.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
    CHANNEL,
    payloads,
  ])
}

/** Announces when the transaction commits, and not at all when it does not. For what is done seldom. */
export async function announceOnCommit(tx: Db, happening: Happening): Promise<void> {
  const [payload] = encodePayloads([happening])
  await tx.$executeRaw`
    select pg_notify(${CHANNEL}, ${payload}) where exists (
      select from posthorn.live_listeners
      where organization_id = ${happening.organizationId}::uuid and expires_at > now())`
}

import { randomUUID } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import { openListenSession } from '../db/listen.ts'
import type { Attempt, LiveEvent } from './live-event.ts'
import { CHANNEL, decodePayload, type Message } from './payload.ts'
import { readAttempts } from './read-attempts.ts'

export interface ListenerDeps {
  readonly databaseUrl: string
  readonly sql: Sql
  /** The organizations that somebody wants to hear of. */
  readonly organizationIds: () => string[]
  readonly onLiveEvents: (liveEvents: readonly LiveEvent[]) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Hears what any process notifies of some organizations, on a connection of its own. */
export interface Listener extends AsyncDisposable {
  /** Resolves once whoever notifies knows which organizations are listened for now. */
  update(): Promise<void>
}

/** How long a listener that was killed is still notified to. */
const EXPIRES_AFTER_S = 60

/** How often it says that it is there; this also finds out that the connection is broken. */
const RENEW_EVERY_MS = 10_000

/** An attempt is notified this much after its id was made at most, but for an accident. */
const ANNOUNCED_WITHIN_S = 5

/** Attempts remembered as heard of, because a range that is read may hold some of them again. */
const MAX_REMEMBERED = 20_000

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export function startListener(deps: ListenerDeps): Listener {
  const listenerId = randomUUID()
  const heard = new Set<string>()
  /** All attempts before it were heard of. */
  let heardUpTo: string | null = null
  /** Since which id each organization is listened for. */
  const since = new Map<string, string>()
  let inbox: Promise<void> = Promise.resolve()
  let nextUpdate: Promise<void> | null = null

  const session = openListenSession(deps.databaseUrl, CHANNEL, {
    async onOpen(opened) {
      const firstAttemptId = heardUpTo
      heardUpTo = await register(opened)
      // What happened while there was no connection.
      if (firstAttemptId) {
        const missed = { kind: 'many', firstAttemptId, lastAttemptId: LAST_ID } as const
        receive(missed, ({ organizationId, attemptId }) => attemptId >= sinceOf(organizationId))
      }
    },
    onNotification(payload) {
      try {
        receive(decodePayload(payload))
      } catch (error) {
        deps.onError(error)
      }
    },
    onError: deps.onError,
  })

  /** Writes down whom it listens for. Answers an id before which it has heard everything. */
  async function register(sql: Sql): Promise<string> {
    const organizationIds = deps.organizationIds()
    const { rows } = await sql.query<{ heard_up_to: string; registered_at: string }>({
      name: 'register_listener',
      text: `
        with gone as (
          delete from posthorn.live_listeners
          where (listener_id = $1 and organization_id <> all ($2::uuid[])) or expires_at < now()
        ),
        here as (
          insert into posthorn.live_listeners (listener_id, organization_id, expires_at)
          select $1, organization_id, now() + $3 * interval '1 second'
          from unnest($2::uuid[]) as organization_id
          on conflict (organization_id, listener_id) do update set expires_at = excluded.expires_at
        )
        select posthorn.uuid_v7_lower_bound(now() - $4 * interval '1 second') as heard_up_to,
          posthorn.uuid_v7_lower_bound(now()) as registered_at`,
      values: [listenerId, organizationIds, EXPIRES_AFTER_S, ANNOUNCED_WITHIN_S],
    })
    const [row] = rows as [(typeof rows)[0]]
    for (const id of since.keys()) if (!organizationIds.includes(id)) since.delete(id)
    for (const id of organizationIds) if (!since.has(id)) since.set(id, row.registered_at)
    return row.heard_up_to
  }

  function sinceOf(organizationId: string): string {
    return since.get(organizationId) ?? LAST_ID
  }

  /** One after the other, so that what is read from the tables keeps its place. */
  function receive(message: Message, isWanted: (attempt: Attempt) => boolean = () => true): void {
    inbox = inbox
      .then(async () => {
        if (message.kind === 'liveEvents') return message.liveEvents
        const { firstAttemptId, lastAttemptId } = message
        const organizationIds = deps.organizationIds()
        const attempts = await readAttempts(
          deps.sql,
          organizationIds,
          firstAttemptId,
          lastAttemptId,
        )
        return attempts.filter(isWanted)
      })
      .then((liveEvents) => deps.onLiveEvents(liveEvents.filter(isNews)))
      .catch(deps.onError)
  }

  function isNews(liveEvent: LiveEvent): boolean {
    if (liveEvent.kind !== 'attempt') return true
    if (heard.has(liveEvent.attemptId)) return false
    heard.add(liveEvent.attemptId)
    if (heard.size > MAX_REMEMBERED) heard.delete(heard.values().next().value as string)
    return true
  }

  /** Those who call while an update runs share the one after it. */
  let running: Promise<void> = Promise.resolve()
  function update(): Promise<void> {
    nextUpdate ??= running
      .catch(() => {})
      .then(() => {
        nextUpdate = null
        running = session.use(register).then((upTo) => {
          heardUpTo = upTo
        })
        return running
      })
    return nextUpdate
  }

  const timer = setInterval(() => update().catch(deps.onError), RENEW_EVERY_MS)
  timer.unref()

  return {
    update,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Broken off, it might be committed after its rows are removed, and count for a minute.
      await (nextUpdate ?? running).catch(() => {})
      await session[Symbol.asyncDispose]()
      await inbox
      await deps.sql
        .query('delete from posthorn.live_listeners where listener_id = $1', [listenerId])
        .catch(() => {})
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import { openListenSession } from '../db/listen.ts'
import type { Attempt, LiveEvent } from './live-event.ts'
import { CHANNEL, decodePayload, type Message } from './payload.ts'
import { readAttempts } from './read-attempts.ts'

export interface ListenerDeps {
  readonly databaseUrl: string
  readonly sql: Sql
  /** The organizations that have subscribers in this process. */
  readonly organizationIds: () => string[]
  readonly onLiveEvents: (liveEvents: readonly LiveEvent[]) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Receives the live events of some organizations from all processes, on its own connection. */
export interface Listener extends AsyncDisposable {
  /**
   * Resolves once the current organizations are registered, so that all processes notify of them. Returns an id that is
   * lower than those of all attempts that they notify of.
   */
  update(): Promise<string>
}

/** How long other processes notify a listener that was killed. */
const EXPIRES_AFTER_S = 60

/** How often the listener renews its registration. This also detects a broken connection. */
const RENEW_EVERY_MS = 10_000

/** The notification of an attempt follows the creation of its id within this time, unless a process fails. */
const NOTIFIED_WITHIN_S = 5

/** Ids of received attempts that are kept, as a range read from the tables may contain them again. */
const MAX_SEEN = 20_000

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export function startListener(deps: ListenerDeps): Listener {
  const listenerId = randomUUID()
  const seenAttemptIds = new Set<string>()
  /** All attempts with lower ids were received. */
  let receivedUpTo: string | null = null
  /** For each organization, a lower bound of the attempt ids since its registration. */
  const registeredSince = new Map<string, string>()
  let receiving: Promise<void> = Promise.resolve()
  let nextUpdate: Promise<string> | null = null

  const session = openListenSession(deps.databaseUrl, CHANNEL, {
    async onOpen(opened) {
      const firstAttemptId = receivedUpTo
      receivedUpTo = await register(opened)
      // Reads the attempts that were missed while there was no connection.
      if (firstAttemptId) {
        const missed = { kind: 'range', firstAttemptId, lastAttemptId: LAST_ID } as const
        receive(
          missed,
          ({ organizationId, attemptId }) =>
            attemptId >= (registeredSince.get(organizationId) ?? LAST_ID),
        )
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

  /** Registers the current organizations. Returns an id up to which all attempts have been received. */
  async function register(sql: Sql): Promise<string> {
    const organizationIds = deps.organizationIds()
    const { rows } = await sql.query<{ received_up_to: string; registered_at: string }>({
      name: 'register_listener',
      text: `
        with deleted as (
          delete from posthorn.live_listeners
          where (listener_id = $1 and organization_id <> all ($2::uuid[])) or expires_at < now()
        ),
        registered as (
          insert into posthorn.live_listeners (listener_id, organization_id, expires_at)
          select $1, organization_id, now() + $3 * interval '1 second'
          from unnest($2::uuid[]) as organization_id
          on conflict (organization_id, listener_id) do update set expires_at = excluded.expires_at
        )
        select posthorn.uuid_v7_lower_bound(now() - $4 * interval '1 second') as received_up_to,
          posthorn.uuid_v7_lower_bound(now()) as registered_at`,
      values: [listenerId, organizationIds, EXPIRES_AFTER_S, NOTIFIED_WITHIN_S],
    })
    const [row] = rows as [(typeof rows)[0]]
    for (const id of registeredSince.keys()) {
      if (!organizationIds.includes(id)) registeredSince.delete(id)
    }
    for (const id of organizationIds) {
      if (!registeredSince.has(id)) registeredSince.set(id, row.registered_at)
    }
    return row.received_up_to
  }

  /** Processes messages one by one, so that attempts read from the tables keep their place in the order. */
  function receive(message: Message, isWanted: (attempt: Attempt) => boolean = () => true): void {
    receiving = receiving
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
      .then((liveEvents) => deps.onLiveEvents(liveEvents.filter(isNew)))
      .catch(deps.onError)
  }

  function isNew(liveEvent: LiveEvent): boolean {
    if (liveEvent.kind !== 'attempt') return true
    if (seenAttemptIds.has(liveEvent.attemptId)) return false
    seenAttemptIds.add(liveEvent.attemptId)
    if (seenAttemptIds.size > MAX_SEEN) {
      seenAttemptIds.delete(seenAttemptIds.values().next().value as string)
    }
    return true
  }

  /** Calls during an update share the next one. */
  let running: Promise<unknown> = Promise.resolve()
  function update(): Promise<string> {
    nextUpdate ??= running
      .catch(() => {})
      .then(() => {
        nextUpdate = null
        const update = session.use(register).then((upTo) => {
          receivedUpTo = upTo
          return upTo
        })
        running = update
        return update
      })
    return nextUpdate
  }

  const timer = setInterval(() => update().catch(deps.onError), RENEW_EVERY_MS)
  timer.unref()

  return {
    update,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // An interrupted update could commit after the rows are deleted below, and register the listener for a minute.
      await (nextUpdate ?? running).catch(() => {})
      await session[Symbol.asyncDispose]()
      await receiving
      await deps.sql
        .query('delete from posthorn.live_listeners where listener_id = $1', [listenerId])
        .catch(() => {})
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import { openSession, type Session } from '../db/session.ts'
import { CHANNEL, decode, type Notification } from './notify.ts'

export interface ListenerOptions {
  readonly databaseUrl: string
  readonly sql: Sql
  /** The organizations that have streams in this process. */
  readonly organizationIds: () => string[]
  readonly onNotification: (notification: Notification) => void
  /** Called when notifications after `since`, a UUIDv7, may have been missed. */
  readonly onGap: (since: string) => void
  /**
   * Called when any organization may have something new: from time to time, as the process that would have notified may
   * have been killed, and for a payload of another version.
   */
  readonly onNews: () => void
  readonly onError: (error: unknown) => void
}

/** How long other processes notify a listener that was killed. */
const EXPIRES_AFTER_S = 60

/** How often the listener renews its registration. This also detects a broken connection. */
const RENEW_EVERY_MS = 10_000

/** Receives the notifications of some organizations from all processes, on its own connection. */
export class Listener implements AsyncDisposable {
  readonly #id = randomUUID()
  readonly #options: ListenerOptions
  readonly #session: Session
  readonly #timer: NodeJS.Timeout
  #registeredAt: string | null = null
  #running: Promise<unknown> = Promise.resolve()
  #nextUpdate: Promise<string> | null = null

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#session = openSession(options.databaseUrl, {
      name: 'live',
      onOpen: async (opened) => {
        await opened.query(`listen ${CHANNEL}`)
        const before = this.#registeredAt
        await this.#register(opened)
        if (before) options.onGap(before)
      },
      onNotification(payload) {
        const notification = decode(payload)
        if (notification) options.onNotification(notification)
        else options.onNews()
      },
      onError: options.onError,
    })
    this.#timer = setInterval(() => {
      this.update().then(options.onNews, options.onError)
    }, RENEW_EVERY_MS)
    this.#timer.unref()
  }

  /**
   * Resolves once the current organizations are registered, so that all processes notify of them: with the time, as a
   * UUIDv7. Calls during an update share the next one.
   */
  update(): Promise<string> {
    this.#nextUpdate ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#nextUpdate = null
        const update = this.#session.use((session) => this.#register(session))
        this.#running = update
        return update
      })
    return this.#nextUpdate
  }

  async #register(session: Sql): Promise<string> {
    const { rows } = await session.query<{ registeredAt: string }>({
      name: 'register_listener',
      text: `
        with deleted as (
          delete from posthorn.live_listeners
          where (listener_id = $1 and organization_id <> all ($2::uuid[])) or expires_at < now()
        ),
        registered as (
          insert into posthorn.live_listeners (listener_id, organization_id, expires_at)
          select $1, o.id, now() + $3 * interval '1 second'
          from posthorn.organizations as o where o.id = any ($2::uuid[]) and o.deleted_at is null
          on conflict (organization_id, listener_id) do update set expires_at = excluded.expires_at
        )
        select posthorn.uuid_v7_lower_bound(now()) as "registeredAt"`,
      values: [this.#id, this.#options.organizationIds(), EXPIRES_AFTER_S],
    })
    this.#registeredAt = (rows[0] as { registeredAt: string }).registeredAt
    return this.#registeredAt
  }

  async [Symbol.asyncDispose]() {
    clearInterval(this.#timer)
    // An interrupted update could commit after the rows are deleted below, and register the listener for a minute.
    await (this.#nextUpdate ?? this.#running).catch(() => {})
    await this.#session[Symbol.asyncDispose]()
    await this.#options.sql
      .query('delete from posthorn.live_listeners where listener_id = $1', [this.#id])
      .catch(() => {})
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Sql } from './client.ts'
import { APPLICATION_NAME } from './embedded/embedded-postgres.ts'

export interface SessionOptions {
  /** What it is for; `pg_stat_activity` shows it after the application's name. */
  readonly name: string
  /** On every new connection, before anything else runs on it. When it throws, another connection is tried. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification?: (payload: string) => void
  /** Told that the connection broke, but not of every failed attempt to open it again. */
  readonly onError: (error: unknown) => void
}

/** One connection of its own, for what lives as long as a connection does; opened again whenever it breaks. */
export interface Session extends AsyncDisposable {
  /** Runs on the connection once it is open; when that fails, the connection is taken for broken. */
  use<Result>(run: (session: Sql) => Promise<Result>): Promise<Result>
}

const RECONNECT_AFTER_MS = 250

const CONNECT_WITHIN_MS = 2_000

/** A connection that does not answer by then is taken for broken. */
const ANSWER_WITHIN_MS = 5_000

export function openSession(url: string, options: SessionOptions): Session {
  const closed = new AbortController()
  let broken = false
  let current = open(0)

  /** Tries once. Whatever ends the connection, and however often it is tried, another one follows. */
  function open(afterMs: number): Promise<pg.Client> {
    const opening = sleep(afterMs, undefined, { signal: closed.signal }).then(connect)
    opening.then(
      (client) => {
        broken = false
        client.once('end', reopen)
      },
      (error) => {
        report(error)
        reopen()
      },
    )
    return opening
  }

  function report(error: unknown): void {
    if (!broken && !closed.signal.aborted) options.onError(error)
    broken = true
  }

  function reopen(): void {
    if (!closed.signal.aborted) current = open(RECONNECT_AFTER_MS)
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `${APPLICATION_NAME}-${options.name}`,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    })
    client.on('error', report)
    client.on('notification', ({ payload = '' }) => options.onNotification?.(payload))
    let ended = false
    client.once('end', () => {
      ended = true
    })
    try {
      await client.connect()
      await options.onOpen(client)
      if (ended) throw new Error('The connection ended as soon as it was open.')
      client.on('end', () => report(new Error('The connection ended.')))
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
  }

  return {
    async use(run) {
      const client = await current
      try {
        return await run(client)
      } catch (error) {
        client.end().catch(() => {})
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      const client = await current.catch(() => null)
      await client?.end().catch(() => {})
    },
  }
}

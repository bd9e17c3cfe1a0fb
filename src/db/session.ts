import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Sql } from './client.ts'
import { CONNECT_TIMEOUT_MS } from './connections.ts'
import { APPLICATION_NAME } from './embedded/embedded-postgres.ts'
import { createOwnedSockets, type OwnedSockets } from './owned-sockets.ts'
import { type ConnectionKind, connectClient } from './session-settings.ts'
import { STRICT_TYPES } from './strict-types.ts'

export interface SessionOptions {
  /** The purpose of the session; part of its `application_name` in `pg_stat_activity`. */
  readonly name: string
  /** Default: direct. */
  readonly kind?: ConnectionKind
  /** Runs first on every new connection. If it throws, the session reconnects. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification?: (payload: string) => void
  /** Called when the connection breaks, but not for every failed reconnect. */
  readonly onError: (error: unknown) => void
}

/** A dedicated connection that reconnects when it breaks, for state that belongs to a session, such as `LISTEN`. */
export interface Session extends AsyncDisposable {
  /** Waits for the connection and runs on it. If `run` throws, the connection is closed and replaced. */
  use<Result>(run: (session: Sql) => Promise<Result>): Promise<Result>
}

const RECONNECT_DELAY_MS = 250

const QUERY_TIMEOUT_MS = 5_000

export function openSession(url: string, options: SessionOptions): Session {
  const closed = new AbortController()
  let broken = false
  let current = open(0)

  /** Tries to connect once. Every failed connect and every end of a connection leads to a reconnect. */
  function open(delayMs: number): Promise<Connection> {
    const opening = sleep(delayMs, undefined, { signal: closed.signal }).then(connect)
    opening.then(
      ({ client }) => {
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
    if (!closed.signal.aborted) current = open(RECONNECT_DELAY_MS)
  }

  async function connect(): Promise<Connection> {
    const sockets = createOwnedSockets()
    const client = new pg.Client({
      stream: sockets.open,
      connectionString: url,
      application_name: `${APPLICATION_NAME}-${options.name}`,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      types: STRICT_TYPES,
    })
    client.on('error', report)
    client.on('notification', ({ payload = '' }) => options.onNotification?.(payload))
    let ended = false
    client.once('end', () => {
      ended = true
    })
    try {
      await connectClient(client, options.kind ?? 'direct')
      await options.onOpen(client)
      if (ended) throw new Error('The connection ended right after it opened.')
      client.on('end', () => report(new Error('The connection ended.')))
      return { client, sockets }
    } catch (error) {
      sockets.destroy()
      throw error
    }
  }

  return {
    async use(run) {
      const connection = await current
      try {
        return await run(connection.client)
      } catch (error) {
        // Over a dead network, `end` would wait for an answer.
        connection.sockets.destroy()
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      const connection = await current.catch(() => null)
      connection?.sockets.destroy()
    },
  }
}

interface Connection {
  readonly client: pg.Client
  readonly sockets: OwnedSockets
}

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startDeadline } from '../lib/deadline.ts'
import type { Sql } from './client.ts'
import { APPLICATION_NAME } from './embedded/embedded-postgres.ts'
import { CONNECT_TIMEOUT_MS, createOwnedSockets, type OwnedSockets } from './pools.ts'
import { applySessionSettings, type ConnectionKind } from './session-settings.ts'

interface SessionOptions {
  /** The purpose of the session; part of its `application_name` in `pg_stat_activity`. */
  readonly name: string
  /** Default: direct. */
  readonly kind?: ConnectionKind
  /** Runs first on every new connection. If it throws, the session reconnects. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification?: (payload: string) => void
  /** Called when a connect fails, once until one succeeds. A connection that breaks is first replaced. */
  readonly onError: (error: unknown) => void
}

/** A dedicated connection that reconnects when it breaks, for state that belongs to a session, such as `LISTEN`. */
export interface Session extends AsyncDisposable {
  /** Waits for the connection and runs on it. If `run` throws, the connection is closed and replaced. */
  use<Result>(run: (session: Sql) => Promise<Result>): Promise<Result>
}

const RECONNECT_DELAY_MS = 250

/** More than Postgres gives a statement of a session, so it passes only over a dead network. */
const ANSWER_TIMEOUT_MS = 5_000

export function openSession(url: string, options: SessionOptions): Session {
  const closed = new AbortController()
  let isReported = false
  let current = open(0)

  /** Tries to connect once. Every failed connect and every end of a connection leads to a reconnect. */
  function open(delayMs: number): Promise<Connection> {
    const opening = sleep(delayMs, undefined, { signal: closed.signal }).then(connect)
    opening.then(
      ({ client }) => {
        isReported = false
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
    if (!isReported && !closed.signal.aborted) options.onError(error)
    isReported = true
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
    })
    // Without a listener, a broken connection would end the process.
    client.on('error', () => {})
    client.on('notification', ({ payload = '' }) => options.onNotification?.(payload))
    let ended = false
    client.once('end', () => {
      ended = true
    })
    const connection = { client, sockets }
    await answered(connection, CONNECT_TIMEOUT_MS, async () => {
      await client.connect()
      await applySessionSettings(client, options.kind ?? 'direct', 'sessions')
    })
    await answered(connection, ANSWER_TIMEOUT_MS, () => options.onOpen(client))
    if (ended) throw new Error('The connection ended right after it opened.')
    return connection
  }

  return {
    async use(run) {
      const connection = await current
      return await answered(connection, ANSWER_TIMEOUT_MS, () => run(connection.client))
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

/** Closes the connection if the work on it fails or gets no answer in time. Over a dead network, `end` would wait, too. */
async function answered<Result>(
  { sockets }: Connection,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const deadline = startDeadline(timeoutMs, () => {
    const error = new Error(`Postgres did not answer within ${timeoutMs} ms.`)
    late.reject(Object.assign(error, { code: 'ETIMEDOUT' }))
  })
  try {
    return await Promise.race([work(), late.promise])
  } catch (error) {
    sockets.destroy()
    throw error
  } finally {
    deadline.cancel()
  }
}

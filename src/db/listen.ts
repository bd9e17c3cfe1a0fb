import pg from 'pg'
import type { Sql } from './client.ts'
import { APPLICATION_NAME } from './embedded.ts'

export interface ListenHandlers {
  /** On every new connection, once it listens. When it throws, another connection is tried. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification: (payload: string) => void
  readonly onError: (error: unknown) => void
}

/** A connection of its own that listens on a channel, and is opened again whenever it breaks. */
export interface ListenSession extends AsyncDisposable {
  /** Runs on the connection once it is open; when that fails, the connection is taken for broken. */
  use<Result>(run: (session: Sql) => Promise<Result>): Promise<Result>
}

const RECONNECT_AFTER_MS = 250

/** A connection that does not answer by then is taken for broken. */
const ANSWER_WITHIN_MS = 5_000

export function openListenSession(
  url: string,
  channel: string,
  handlers: ListenHandlers,
): ListenSession {
  const closed = new AbortController()
  let current = connect()

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `${APPLICATION_NAME}-live`,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    })
    client.on('error', handlers.onError)
    client.on('notification', ({ payload = '' }) => handlers.onNotification(payload))
    try {
      await client.connect()
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      await handlers.onOpen(client)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    // Whatever ends it, and however often it is tried.
    client.once('end', () => reconnect())
    return client
  }

  function reconnect(): void {
    if (closed.signal.aborted) return
    current = new Promise((resolve, reject) => {
      const timer = setTimeout(() => connect().then(resolve, reject), RECONNECT_AFTER_MS)
      closed.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(new Error('The connection was closed.'))
      })
    })
    retryWhenFailed()
  }

  function retryWhenFailed(): void {
    current.catch((error) => {
      if (closed.signal.aborted) return
      handlers.onError(error)
      reconnect()
    })
  }

  retryWhenFailed()
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

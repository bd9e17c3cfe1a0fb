import { type Client, createClient, type ExecutionResult } from 'graphql-sse'
import type { Database } from '../../../src/db/client.ts'
import { until } from '../../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
type Result = ExecutionResult<any>

/** The client side of a subscription. */
export type Stream = Awaited<ReturnType<typeof subscribe>>

/** Subscribes with graphql-sse. Resolves once the response has started, so that no event is missed. */
export async function subscribe(
  url: string,
  /** The token of a key or a session, or other headers. */
  caller: string | Record<string, string>,
  query: string,
  variables: Record<string, unknown> = {},
) {
  const results: Result[] = []
  let end: unknown = null
  let connected = false
  const client: Client = createClient({
    url: `${url}/graphql`,
    headers: typeof caller === 'string' ? { authorization: `Bearer ${caller}` } : caller,
    retryAttempts: 0,
  })
  const stop = client.subscribe(
    { query, variables },
    {
      next: (result) => void results.push(result as Result),
      error: (error) => {
        end = error
      },
      complete: () => {
        end ??= 'completed'
      },
    },
    {
      connected() {
        connected = true
      },
    },
  )
  await until(() => connected || end !== null, 'the stream begins')
  return {
    results,
    /** How the stream ended: `completed` or the error. Null while it is open. */
    get end() {
      return end
    },
    /** Resolves to the nth result, counted from 1, once it has arrived. */
    async result(number: number): Promise<Result> {
      await until(() => results.length >= number || end !== null, `result ${number} arrives`)
      const found = results[number - 1]
      if (!found) throw new Error(`The stream ended before result ${number}: ${end}`)
      return found
    },
    [Symbol.dispose]: () => stop(),
  }
}

/** The number of connections that listen for notifications. */
export async function listeningConnections({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name like '%-live'`,
  )
  return rows[0]?.count ?? 0
}

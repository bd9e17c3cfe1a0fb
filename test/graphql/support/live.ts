import { type Client, createClient, type ExecutionResult } from 'graphql-sse'
import type { Database } from '../../../src/db/client.ts'
import { until } from '../../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asked for.
type Result = ExecutionResult<any>

/** A subscription as its client sees it. */
export interface Stream extends Disposable {
  readonly results: Result[]
  /** How it ended: `completed`, or what went wrong. Null while it goes on. */
  readonly end: unknown
  /** The result with that number, from 1, once it has arrived. */
  result(number: number): Promise<Result>
}

/** Subscribes with the client that users have. Resolves once the response has begun, so that nothing is missed. */
export async function subscribe(
  url: string,
  token: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Stream> {
  const results: Stream['results'] = []
  let end: unknown = null
  let connected = false
  const client: Client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}` },
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
    get end() {
      return end
    },
    async result(number) {
      await until(() => results.length >= number || end !== null, `result ${number} arrives`)
      const found = results[number - 1]
      if (!found) throw new Error(`The stream ended before result ${number}: ${end}`)
      return found
    },
    [Symbol.dispose]: () => stop(),
  }
}

/** How many connections to the database listen. */
export async function listeningConnections({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name like '%-live'`,
  )
  return rows[0]?.count ?? 0
}

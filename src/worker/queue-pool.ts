import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Connections } from '../db/connections.ts'
import { nothingWasDone } from '../db/refusal.ts'
import { type CompleteJobs, createCompleteJobs } from './complete-jobs.ts'
import { createFetchJobs, type FetchJobs, type Query } from './fetch-jobs.ts'

/** The connections of one runner of graphile-worker. */
export interface QueuePool extends AsyncDisposable {
  readonly pool: pg.Pool
}

interface Prepared {
  /** What went wrong, if anything did. */
  readonly failure: Promise<Error | null>
  readonly at: number
}

/** One listens, one fetches, and the others complete. */
const MAX_CONNECTIONS = 5

/** How long closing the connections is waited for, where Postgres does not answer. */
const CLOSE_WITHIN_MS = 1_000

/**
 * Every statement of graphile-worker looks rows up by an index, whatever the planner knows of the table, and takes jobs
 * in the order of an index. Left to itself, Postgres read all of it to fetch a few: 15 ms instead of 2, as soon as 20,000
 * deliveries waited in line. Before PostgreSQL 18 what is switched off counts as so expensive that it would be compiled.
 */
const LOOK_UP_ROWS = `
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_sort = off; set plan_cache_mode = force_generic_plan; set jit = off`

/**
 * How long a connection keeps its plans. Planning takes as long as fetching a job, so it pays not to do it each time. But
 * a plan that was made for an empty table may read all of it, and soon there may be much in it.
 */
export const KEEP_PLANS_MS = 1_000

/**
 * Where Postgres says that it is only starting, or cannot be reached in time, graphile-worker waits for 3 s and then ever
 * longer, up to two minutes, before it asks again. Told no reason, it asks again at its next poll. And a runner that
 * stumbled while Postgres went away may keep the connection it listens on for good: disposing of the pool closes all.
 *
 * `onLost` is told where jobs may have been taken and nobody learns of it, as the connection broke meanwhile.
 */
export function openQueuePool(
  connections: Connections,
  onError: (error: Error) => void,
  onLost: () => void,
): QueuePool {
  const pool = connections.open({ maxConnections: MAX_CONNECTIONS, onError })
  const fetchJobs = createFetchJobs()
  const completeJobs = createCompleteJobs()
  const prepared = new WeakMap<pg.PoolClient, Prepared>()
  pool.on('connect', (client) => {
    askInOwnWords(client, fetchJobs, completeJobs, onLost)
    prepare(client, LOOK_UP_ROWS)
  })

  function prepare(client: pg.PoolClient, statement: string): void {
    const failure = client.query(statement).then(
      () => null,
      (error: Error) => {
        onError(error)
        return error
      },
    )
    prepared.set(client, { failure, at: performance.now() })
  }

  const taken = new Set<pg.PoolClient>()

  /** Once it is prepared, as graphile-worker may ask twice at once, and `pg` warns of three. */
  async function lend(client: pg.PoolClient): Promise<pg.PoolClient> {
    const { release } = client
    let lent = true
    taken.add(client)
    client.release = (broken) => {
      // Whoever had it before may release it once more, when it is another's by now.
      if (!lent) return
      lent = false
      taken.delete(client)
      release.call(client, broken)
    }
    if (performance.now() - (prepared.get(client)?.at ?? 0) > KEEP_PLANS_MS) {
      prepare(client, 'discard plans')
    }
    const failure = await prepared.get(client)?.failure
    if (!failure) return client
    client.release(true)
    throw withoutCode(failure)
  }

  function borrow(): Promise<pg.PoolClient> {
    return pool
      .connect()
      .catch((error) => Promise.reject(withoutCode(error)))
      .then(lend)
  }

  type Callback = Parameters<pg.Pool['connect']>[0]

  function connect(callback?: Callback) {
    const lending = borrow()
    if (!callback) return lending
    lending.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    )
  }

  /** As graphile-worker asks with what concerns cron. The pool itself would ask before the connection is prepared. */
  async function query(...asked: [text: string, values?: unknown[]]): Promise<pg.QueryResult> {
    const client = await borrow()
    let broken = true
    try {
      const result = await client.query(...asked)
      broken = false
      return result
    } finally {
      client.release(broken)
    }
  }

  return {
    pool: new Proxy(pool, {
      get(target, property) {
        if (property === 'connect') return connect
        if (property === 'query') return query
        const value = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
    async [Symbol.asyncDispose]() {
      // Lends no more from here on.
      const ended = pool.end()
      for (const client of [...taken]) client.release(true)
      await Promise.race([ended, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

function askInOwnWords(
  client: pg.PoolClient,
  fetchJobs: FetchJobs,
  completeJobs: CompleteJobs,
  onLost: () => void,
): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  let unlistening: Promise<unknown> | null = null

  /** A runner stops listening as it ends, and once more where beginning to listen fails meanwhile: of three `pg` warns. */
  function unlisten(statement: string): Promise<unknown> {
    unlistening ??= (query(statement) as Promise<unknown>).finally(() => {
      unlistening = null
    })
    return unlistening
  }

  client.query = ((first: unknown, ...rest: unknown[]) => {
    if (typeof first === 'string' && first.startsWith('UNLISTEN ')) return unlisten(first)
    const asked = completeJobs(first)
    const fetching = fetchJobs(asked, query as Query)
    fetching?.catch((error) => {
      if (!nothingWasDone(error)) onLost()
    })
    return fetching ?? query(asked, ...rest)
  }) as pg.PoolClient['query']
}

function withoutCode(cause: Error): Error {
  return new Error(cause.message, { cause })
}

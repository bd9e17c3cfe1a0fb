import { Socket } from 'node:net'
import pg from 'pg'
import { APPLICATION_NAME } from './embedded/embedded-postgres.ts'
import { FairQueue } from './fair-queue.ts'
import { applySessionSettings, type ConnectionKind, type Purpose } from './session-settings.ts'

/** The connections to the database, for plain SQL. */
export interface Pools extends AsyncDisposable {
  /** Each connection to it has its own session. */
  readonly url: string
  /** The transaction pooler that the connections of `pool` go through, or null. */
  readonly poolerUrl: string | null
  /** Opens further pools. */
  readonly connections: Connections
  /** Holds no state of a session beyond a transaction. */
  readonly pool: pg.Pool
  /** The pool of the hot path: publishing, loading, recording, scheduling. Always connects directly. */
  readonly pipeline: pg.Pool
  /** The pool of the worker's jobs. Its statements may take longer than those of requests. */
  readonly jobs: pg.Pool
  /** The pool of work in the background for one organization, so that it leaves all other connections. */
  readonly background: pg.Pool
  /** All, for metrics. */
  readonly pools: Readonly<Record<'general' | 'pipeline' | 'jobs' | 'background', WatchedPool>>
}

export interface WatchedPool {
  readonly pool: pg.Pool
  /** Statements that wait for a connection. */
  readonly waiting: () => number
}

/** Each runs one page of one organization. */
const MAX_BACKGROUND_CONNECTIONS = 3

/** As many organizations can wait for their next page as there are. */
const MAX_BACKGROUND_WAIT_MS = 60_000

/**
 * The statements of the hot path find rows by an index, and each connection plans them once. Without these settings the
 * plan could be a sequential scan, chosen while a new partition has few rows, that later reads the whole partition for
 * each delivery.
 */
const INDEX_PLAN_SETTINGS =
  'set enable_seqscan = off; set plan_cache_mode = force_generic_plan; set jit = off'

export interface PoolsOptions extends Partial<PoolOptions>, Pick<ShareOptions, 'ownerOf'> {
  /** How long a connect may take, and how long the wait for a free connection. Default: 10 s and 2 s. */
  readonly connectTimeoutMs?: number
  /** Few are enough, because the hot path runs its statements in batches. Default: 6. */
  readonly maxPipelineConnections?: number
  /** Default: 6. */
  readonly maxJobConnections?: number
}

/** Opens the pools. They connect on first use, so this succeeds while Postgres is unreachable. */
export function openPools(
  url: string,
  {
    maxConnections = 20,
    maxPipelineConnections = 6,
    maxJobConnections = 6,
    purpose = 'requests',
    onError = () => {},
    connectTimeoutMs,
    poolerUrl = null,
    ownerOf,
  }: PoolsOptions = {},
): Pools {
  const connections = createConnections(url, connectTimeoutMs)
  const pool = connections.open({
    maxConnections,
    purpose,
    onError,
    poolerUrl,
  })
  const turns = shareConnections(pool, {
    maxWaitMs: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    ...(ownerOf && { ownerOf }),
  })
  const pipeline = connections.open({
    maxConnections: maxPipelineConnections,
    purpose,
    onError,
    setupSql: INDEX_PLAN_SETTINGS,
  })
  const jobs = connections.open({ maxConnections: maxJobConnections, purpose: 'jobs', onError })
  const background = connections.open({
    maxConnections: MAX_BACKGROUND_CONNECTIONS,
    purpose: 'jobs',
    onError,
  })
  const pages = shareConnections(background, { maxWaitMs: MAX_BACKGROUND_WAIT_MS })
  return {
    url,
    poolerUrl,
    connections,
    pool,
    pipeline,
    jobs,
    background,
    pools: {
      general: { pool, waiting: () => turns.waiting },
      pipeline: { pool: pipeline, waiting: () => pipeline.waitingCount },
      jobs: { pool: jobs, waiting: () => jobs.waitingCount },
      background: { pool: background, waiting: () => pages.waiting },
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pipeline.end(), jobs.end(), background.end()])
      if (!pool.ended) await pool.end()
    },
  }
}

/** The connections of this process to one database. */
export interface Connections {
  /** Opens a pool. It connects on first use, so this succeeds while Postgres is unreachable. */
  open(options: PoolOptions): pg.Pool
  readonly openSocket: OwnedSockets['open']
  /** Destroys the connections of all pools: running queries fail, and the pools reconnect. */
  destroyAll(): void
}

interface PoolOptions {
  readonly maxConnections: number
  /** Its time limits: see `TIME_LIMITS`. */
  readonly purpose: Purpose
  /** Called when an idle connection breaks; the pool replaces it. */
  readonly onError: (error: Error) => void
  /** SQL that runs first on every connection, after the session settings, such as `set jit = off`. Default: none. */
  readonly setupSql?: string
  /** The URL of a transaction pooler for the same database, to connect through. Default: null, a direct connection. */
  readonly poolerUrl?: string | null
  /** What the connections are. Default: pooled with a `poolerUrl`, otherwise direct. */
  readonly kind?: ConnectionKind
  /** In `pg_stat_activity`. Default: `posthorn`. */
  readonly applicationName?: string
}

/** The longest wait for a free connection, and for one that is used for nothing else. */
export const CONNECT_TIMEOUT_MS = 2_000

/** For a connection of a pool: `pg` also counts the time in which this thread stands still. The watch ends it earlier. */
export const POOL_CONNECT_TIMEOUT_MS = 10_000

/** For the first connection of a process: a hosted Postgres may have to wake up, and a busy machine is slow to start. */
export const START_CONNECT_TIMEOUT_MS = 30_000

/**
 * A new connection plans every statement again: with 30 days of partitions, the first event that is published, loaded
 * and recorded on it takes 50 ms instead of 4. An idle connection takes some 15 MB of Postgres's memory.
 */
const IDLE_TIMEOUT_MS = 300_000

/** `openSocket` opens sockets that others own, too. */
export function createConnections(
  url: string,
  connectTimeoutMs = POOL_CONNECT_TIMEOUT_MS,
  openSocket?: OwnedSockets['open'],
): Connections {
  const sockets = createOwnedSockets(openSocket)
  return {
    open(options) {
      const { purpose, onError, setupSql, poolerUrl = null } = options
      const { kind = poolerUrl === null ? 'direct' : 'pooled' } = options
      const pool = new pg.Pool({
        connectionString: poolerUrl ?? url,
        ...(poolerUrl !== null && { Client: UnnamedStatementsClient }),
        application_name: options.applicationName ?? APPLICATION_NAME,
        max: options.maxConnections,
        connectionTimeoutMillis: connectTimeoutMs,
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        stream: sockets.open,
        // Not by the connection parameter `options`, which poolers reject.
        async onConnect(client) {
          await applySessionSettings(client, kind, purpose)
          if (setupSql !== undefined) await client.query(setupSql)
        },
      })
      // Without listeners, a broken connection would end the process.
      pool.on('error', onError)
      pool.on('connect', (client) => client.on('error', onError))
      return pool
    },

    openSocket: sockets.open,
    destroyAll: sockets.destroy,
  }
}

/** The sockets of a pool or of a client, opened by the `stream` option of `pg`, so that they can be destroyed while queries run. */
export interface OwnedSockets {
  open(): Socket
  destroy(): void
}

export function createOwnedSockets(openSocket = () => new Socket()): OwnedSockets {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = openSocket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * A client of a transaction pooler, which may run each transaction in another session of Postgres. A statement that was
 * prepared under a name in one session is missing in the others, so this client sends the text each time.
 * (PgBouncer follows names since 1.21, but only if it is told to; other poolers do not.)
 */
class UnnamedStatementsClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: it passes all forms of `query` on.
  override query(query: any, ...rest: any[]): any {
    const isNamed = typeof query === 'object' && query?.name !== undefined
    return super.query(isNamed ? { ...query, name: undefined } : query, ...rest)
  }
}

interface ShareOptions {
  /** Who runs the current statement. Default: nobody, without a limit. */
  readonly ownerOf?: () => string | null
  /** How long a statement waits for a connection that others use. */
  readonly maxWaitMs: number
}

type Connect = () => Promise<pg.PoolClient>
type Callback = Parameters<pg.Pool['connect']>[0]

/**
 * Makes the statements of a pool wait for their turn before they get a connection, so that one owner always leaves some
 * to the next. Returns the queue.
 */
export function shareConnections(
  pool: pg.Pool,
  { ownerOf = () => null, maxWaitMs }: ShareOptions,
): FairQueue {
  const queue = new FairQueue(pool.options.max)
  const owners = new WeakMap<pg.PoolClient, string | null>()
  const connect: Connect = pool.connect.bind(pool)

  async function connectInTurn(): Promise<pg.PoolClient> {
    const owner = ownerOf()
    // As `pg` says it.
    if (!(await queue.acquire(owner, { maxWaitMs }))) throw new Error(NO_FREE_CONNECTION)
    try {
      const client = await connect()
      owners.set(client, owner)
      return client
    } catch (error) {
      queue.release(owner)
      throw error
    }
  }

  pool.on('release', (_error, client) => {
    const owner = owners.get(client)
    if (owners.delete(client)) queue.release(owner ?? null)
  })
  // `pool.query` calls it with a callback.
  pool.connect = ((callback?: Callback) => {
    const connected = connectInTurn()
    if (!callback) return connected
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    )
    return undefined
  }) as pg.Pool['connect']
  return queue
}

/** The message of an error without a code. */
export const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect'

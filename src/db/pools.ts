import type pg from 'pg'
import {
  CONNECT_TIMEOUT_MS,
  type Connections,
  createConnections,
  type PoolOptions,
} from './connections.ts'
import { type ShareOptions, shareConnections } from './share-connections.ts'

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
  /** The pool of work in the background for one organization, so that it leaves all other connections. */
  readonly background: pg.Pool
  /** All, for metrics. */
  readonly pools: Readonly<Record<'general' | 'pipeline' | 'background', WatchedPool>>
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
}

/** Opens the pools. They connect on first use, so this succeeds while Postgres is unreachable. */
export function openPools(
  url: string,
  {
    maxConnections = 20,
    maxPipelineConnections = 6,
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
  const background = connections.open({
    maxConnections: MAX_BACKGROUND_CONNECTIONS,
    purpose,
    onError,
  })
  const pages = shareConnections(background, { maxWaitMs: MAX_BACKGROUND_WAIT_MS })
  return {
    url,
    poolerUrl,
    connections,
    pool,
    pipeline,
    background,
    pools: {
      general: { pool, waiting: () => turns.waiting },
      pipeline: { pool: pipeline, waiting: () => pipeline.waitingCount },
      background: { pool: background, waiting: () => pages.waiting },
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pipeline.end(), background.end()])
      if (!pool.ended) await pool.end()
    },
  }
}

import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Connections, createConnections, type PoolOptions } from './connections.ts'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'

/** A Prisma client or a transaction open on one: what domain functions take. */
export type Db = PrismaClient | Prisma.TransactionClient

/** Runs it in the transaction that is open, or in one of its own. */
export async function inTransaction<T>(db: Db, run: (tx: Db) => Promise<T>): Promise<T> {
  return '$transaction' in db ? await db.$transaction(run) : await run(db)
}

/** A pool or one of its clients, for the plain SQL of the hot path. */
export type Sql = Pick<pg.Pool, 'query'>

/** The one database: Prisma and plain SQL on a shared pool. */
export interface Database extends AsyncDisposable {
  readonly url: string
  /** Where other pools are opened. */
  readonly connections: Connections
  readonly pool: pg.Pool
  /** The pool of the hot path: publishing, loading, recording, scheduling. */
  readonly pipeline: pg.Pool
  readonly prisma: PrismaClient
}

/** The connections of the hot path, at most: its statements are gathered into few. */
const PIPELINE_CONNECTIONS = 6

/**
 * The statements of the hot path look rows up by an index. Their plans are made once, and must not be made for the few
 * rows that a young partition has: a sequential scan that is kept while it grows reads all of it for each delivery.
 */
const PLANS_BY_INDEX =
  'set enable_seqscan = off; set plan_cache_mode = force_generic_plan; set jit = off'

/** Opens the pools. They connect when first used, so this succeeds while Postgres is away. */
export function openDatabase(
  url: string,
  { maxConnections = 20, onError = () => {} }: Partial<PoolOptions> = {},
): Database {
  const connections = createConnections(url)
  const pool = connections.open({ maxConnections, onError })
  const pipeline = connections.open({
    maxConnections: PIPELINE_CONNECTIONS,
    onError,
    beginWith: PLANS_BY_INDEX,
  })
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    url,
    connections,
    pool,
    pipeline,
    prisma,
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect()
      await pipeline.end()
      if (!pool.ended) await pool.end()
    },
  }
}

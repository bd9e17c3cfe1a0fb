import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { APPLICATION_NAME } from './embedded.ts'
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
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
}

export interface DatabaseOptions {
  readonly maxConnections?: number
  /** Told about connections that break while idle; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void
}

/** Longer than any connection takes that works, and than any statement is waited for that is not stuck. */
const CONNECT_WITHIN_MS = 2_000

/** Opens the pool. It connects when first used, so this succeeds while Postgres is away. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: options.maxConnections ?? 20,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  const report = options.onError ?? (() => {})
  // Without listeners, a connection that breaks would end the process.
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    url,
    pool,
    prisma,
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect()
      if (!pool.ended) await pool.end()
    },
  }
}

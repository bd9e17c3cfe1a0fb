import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'
import { openPools, POOL_CONNECT_TIMEOUT_MS, type Pools, type PoolsOptions } from './pools.ts'

/** A Prisma client or an open transaction; domain functions take either. */
export type Db = PrismaClient | Prisma.TransactionClient

/** A pool or one of its clients, for the plain SQL of the hot path. */
export type Sql = Pick<pg.Pool, 'query'>

/** The database: Prisma and plain SQL on a shared pool. */
export interface Database extends Pools {
  readonly prisma: PrismaClient
}

/** Opens the pools. They connect on first use, so this succeeds while Postgres is unreachable. */
export function openDatabase(url: string, options: PoolsOptions = {}): Database {
  const pools = openPools(url, options)
  const prisma = openPrisma(pools.pool, options.connectTimeoutMs)
  return {
    ...pools,
    prisma,
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect()
      await pools[Symbol.asyncDispose]()
    },
  }
}

/** As long as Postgres lets a transaction wait for its next statement. */
const MAX_TRANSACTION_MS = 30_000

/** Prisma on a pool, which stays open when Prisma disconnects. */
export function openPrisma(
  pool: pg.Pool,
  connectTimeoutMs = POOL_CONNECT_TIMEOUT_MS,
): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { schema: 'posthorn' }),
    // The limits of Postgres and of the pools end first, and their errors tell which of them it was.
    transactionOptions: {
      maxWait: 2 * connectTimeoutMs + 1_000,
      timeout: MAX_TRANSACTION_MS,
    },
  })
}

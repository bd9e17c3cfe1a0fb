import type pg from 'pg'
import { FairQueue } from './fair-queue.ts'

export interface ShareOptions {
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
    if (!(await queue.acquire(owner, maxWaitMs))) throw new Error(NO_FREE_CONNECTION)
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

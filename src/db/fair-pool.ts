import pg from 'pg'
import { FairQueue } from './fair-queue.ts'

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

export interface FairPoolOptions {
  /** Who runs the current statement. Default: nobody, without a limit. */
  readonly ownerOf?: () => string | null
  /** Called when a statement has its connection, and when its wait timed out. */
  readonly onWaited?: (waitedMs: number, timedOut: boolean) => void
}

/** A pool has no connection for a statement, for a reason in this process: Postgres was not asked for one. */
export class PoolError extends Error {
  override readonly name = 'PoolError'
  readonly kind: 'pool_exhausted' | 'stopping'

  constructor(kind: PoolError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * A pool whose connections are shared fairly between the owners of statements. It makes the statements wait itself, so
 * that `pg` only ever waits for Postgres.
 */
export class FairPool extends pg.Pool {
  readonly #ownerOf: () => string | null
  readonly #onWaited: (waitedMs: number, timedOut: boolean) => void
  readonly #queue: FairQueue
  readonly #owners = new WeakMap<pg.PoolClient, string | null>()

  constructor(
    config: pg.PoolConfig & { max: number },
    { ownerOf = () => null, onWaited = () => {} }: FairPoolOptions = {},
  ) {
    super(config)
    this.#ownerOf = ownerOf
    this.#onWaited = onWaited
    this.#queue = new FairQueue(config.max)
    this.on('release', (_error, client) => this.#queue.release(this.#owners.get(client) ?? null))
  }

  /** Statements that wait for a connection. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** `query` calls it too. */
  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connected = this.#connect()
    if (!callback) return connected
    connected.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.ending) throw new PoolError('stopping', 'The pool of connections is closed.')
    const owner = this.#ownerOf()
    const startedAtMs = performance.now()
    await this.#permit(owner, startedAtMs)
    try {
      const client = await super.connect()
      this.#owners.set(client, owner)
      this.#onWaited(performance.now() - startedAtMs, false)
      return client
    } catch (error) {
      this.#queue.release(owner)
      throw error
    }
  }

  async #permit(owner: string | null, startedAtMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const cancel = this.#queue.acquire(owner, resolve)
    if (cancel === null) return
    const { connectionTimeoutMillis: timeoutMs } = this.options
    const timer = setTimeout(() => {
      if (!cancel()) return
      this.#onWaited(performance.now() - startedAtMs, true)
      const message = `No connection of the pool was free within ${timeoutMs} ms.`
      reject(new PoolError('pool_exhausted', message))
    }, timeoutMs)
    await promise.finally(() => clearTimeout(timer))
  }
}

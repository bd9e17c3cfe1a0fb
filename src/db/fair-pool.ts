import pg from 'pg'
import { markBusyTime, startDeadline, wasBusySince } from '../lib/deadline.ts'
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
  /** How long a statement waits for a connection that others use. Default: `connectionTimeoutMillis`. */
  readonly maxWaitMs?: number
}

const MAX_TRIES = 3

/** A pool has no connection for a statement. Only with `unreachable` was Postgres asked for one. */
export class PoolError extends Error {
  override readonly name = 'PoolError'
  readonly kind: 'pool_exhausted' | 'stopping' | 'unreachable'

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
  readonly #maxWaitMs: number | undefined
  readonly #queue: FairQueue
  readonly #owners = new WeakMap<pg.PoolClient, string | null>()

  constructor(
    config: pg.PoolConfig & { max: number },
    { ownerOf = () => null, onWaited = () => {}, maxWaitMs }: FairPoolOptions = {},
  ) {
    super(config)
    this.#ownerOf = ownerOf
    this.#onWaited = onWaited
    this.#maxWaitMs = maxWaitMs
    this.#queue = new FairQueue(config.max)
    this.on('release', (_error, client) => {
      const owner = this.#owners.get(client)
      // `pg` also releases connections that no statement got.
      if (owner === undefined) return
      this.#owners.delete(client)
      this.#queue.release(owner)
    })
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
    this.#requireOpen()
    const owner = this.#ownerOf()
    const startedAtMs = performance.now()
    await this.#permit(owner, startedAtMs)
    try {
      // It may have closed in the meantime.
      this.#requireOpen()
      const client = await this.#connectInTime()
      this.#owners.set(client, owner)
      this.#onWaited(performance.now() - startedAtMs, false)
      return client
    } catch (error) {
      this.#queue.release(owner)
      throw error
    }
  }

  #requireOpen(): void {
    if (this.ending) throw new PoolError('stopping', 'The pool of connections is closed.')
  }

  /** Tries again if this thread stood still meanwhile, which says nothing about Postgres. */
  async #connectInTime(): Promise<pg.PoolClient> {
    for (let tries = 1; ; tries++) {
      const startedAtMs = performance.now()
      const busyTime = markBusyTime()
      try {
        return await this.#connectOnce()
      } catch (error) {
        const isLate =
          performance.now() - startedAtMs >= (this.options.connectionTimeoutMillis ?? 0)
        if (!isLate || !wasBusySince(busyTime) || tries === MAX_TRIES) throw error
      }
    }
  }

  /** `pg` limits only a part of this: not `onConnect` of a connection that it opens at once. */
  async #connectOnce(): Promise<pg.PoolClient> {
    // An idle connection is there at once, so nothing is late.
    if (this.idleCount > this.waitingCount) return await super.connect()
    const { connectionTimeoutMillis: timeoutMs } = this.options
    const late = Promise.withResolvers<never>()
    const message = `Postgres opened no connection within ${timeoutMs} ms.`
    // It fires before those of `pg`, whose errors have no code: timers of one length fire in the order of their start.
    const timer = setTimeout(() => late.reject(new PoolError('unreachable', message)), timeoutMs)
    const connecting = super.connect()
    try {
      return await Promise.race([connecting, late.promise])
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async #permit(owner: string | null, startedAtMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const cancel = this.#queue.acquire(owner, resolve)
    if (cancel === null) return
    const timeoutMs = this.#maxWaitMs ?? this.options.connectionTimeoutMillis
    const deadline = startDeadline(timeoutMs ?? 0, () => {
      if (!cancel()) return
      this.#onWaited(performance.now() - startedAtMs, true)
      const message = `No connection of the pool was free within ${timeoutMs} ms.`
      reject(new PoolError('pool_exhausted', message))
    })
    await promise.finally(deadline.cancel)
  }
}

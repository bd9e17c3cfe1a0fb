import type pg from 'pg'

/** The pool as one runner of graphile-worker gets it. */
export interface ImpatientPool {
  readonly pool: pg.Pool
  /** Closes the connections that the runner took and has not let go of, and lends it no more. */
  takeBack(): void
}

/**
 * Where Postgres says that it is only starting, or cannot be reached in time, graphile-worker waits for 3 s and then ever
 * longer, up to two minutes, before it asks again. Told no reason, it asks again at its next poll. And a runner that
 * stumbled while Postgres went away may keep the connection it listens on for good.
 */
export function impatientPool(pool: pg.Pool): ImpatientPool {
  const taken = new Set<pg.PoolClient>()
  let over = false

  function lend(client: pg.PoolClient): pg.PoolClient {
    const { release } = client
    if (over) {
      client.release()
      throw new Error('This runner has ended.')
    }
    taken.add(client)
    client.release = (broken) => {
      if (taken.delete(client)) release.call(client, broken)
    }
    return client
  }

  type Callback = Parameters<pg.Pool['connect']>[0]

  function connect(callback?: Callback) {
    const lending = pool
      .connect()
      .catch((error) => Promise.reject(withoutCode(error)))
      .then(lend)
    if (!callback) return lending
    lending.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    )
  }

  return {
    pool: new Proxy(pool, {
      get(target, property) {
        if (property === 'connect') return connect
        const value = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
    takeBack() {
      over = true
      for (const client of [...taken]) client.release(true)
    },
  }
}

function withoutCode(cause: Error): Error {
  return new Error(cause.message, { cause })
}

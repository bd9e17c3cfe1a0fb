import type { Pools } from '../db/pools.ts'
import { openSession } from '../db/session.ts'
import { repeat } from '../lib/repeat.ts'
import type { Metrics } from './metrics.ts'
import type { OutageLog } from './outages.ts'

const ASK_EVERY_MS = 1_000

/** `posthorn_postgres_up` is 0 after this time without an answer. */
const UP_FOR_MS = 5_000

/**
 * Detects a Postgres that vanished without closing its connections, as after a failover or a machine failure, and then
 * destroys all connections. Without it, queries would wait for the TCP timeout of a quarter of an hour. Also shows whether
 * Postgres answers, through the pooler, too, and tells the end of outages.
 */
export function watchPostgres(
  { url, poolerUrl, connections }: Pick<Pools, 'url' | 'poolerUrl' | 'connections'>,
  outages: OutageLog,
  { show }: Metrics,
): AsyncDisposable {
  let answeredAtMs = performance.now()
  let isClosed = false
  show('postgres_up', () => Number(performance.now() - answeredAtMs < UP_FOR_MS))
  const warn = outages.warnOf('the watch of Postgres failed')
  const onError = (error: unknown) => {
    if (isClosed) return
    answeredAtMs = Number.NEGATIVE_INFINITY
    warn(error)
  }
  const options = { name: 'watch', onOpen: async () => {}, onError }
  const sessions = [openSession(url, options)]
  if (poolerUrl !== null) sessions.push(openSession(poolerUrl, { ...options, kind: 'pooled' }))

  async function ask(): Promise<void> {
    await Promise.all(sessions.map((session) => session.use((sql) => sql.query('select 1'))))
    answeredAtMs = performance.now()
    outages.answered()
  }

  const watching = repeat(ASK_EVERY_MS, ask, (error) => {
    onError(error)
    // Of a silent Postgres. What is opened meanwhile never opens, and Postgres may be back: so again after each try.
    if ((error as { code?: string }).code === 'ETIMEDOUT') connections.destroyAll()
  })
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()))
      await watching[Symbol.asyncDispose]()
    },
  }
}

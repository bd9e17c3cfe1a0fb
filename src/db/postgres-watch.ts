import type { Connections } from './pools.ts'
import { openSession } from './session.ts'

interface PostgresWatchOptions {
  readonly url: string
  readonly poolerUrl: string | null
  /** Destroyed when Postgres does not respond. */
  readonly connections: Connections
  /** Called about once a second while Postgres answers, through the pooler, too. */
  readonly onAnswer: () => void
  readonly onError: (error: unknown) => void
}

const ASK_EVERY_MS = 1_000

/** Postgres answers `select 1` in well under a millisecond; on the busiest machine in a fraction of a second. */
const RESPONSE_TIMEOUT_MS = 4_000

/** Of a Postgres that was silent before: what is opened meanwhile never opens, and Postgres may be back. */
const SILENT_TIMEOUT_MS = 2_000

/**
 * Detects a Postgres that vanished without closing its connections, as after a failover or a machine failure, and then
 * destroys all connections. Without it, queries would wait for the TCP timeout of a quarter of an hour.
 */
export function watchPostgres({
  url,
  poolerUrl,
  connections,
  onAnswer,
  onError,
}: PostgresWatchOptions): AsyncDisposable {
  const options = { name: 'watch', onOpen: async () => {}, onError }
  const sessions = [openSession(url, options)]
  if (poolerUrl !== null) sessions.push(openSession(poolerUrl, { ...options, kind: 'pooled' }))

  let asked = 0
  let unanswered = 0
  let timeoutMs = RESPONSE_TIMEOUT_MS
  const timer = setInterval(() => {
    // Counts questions instead of reading the clock, so that a pause of this process is not taken for a silent Postgres.
    if (unanswered > 0 && ++unanswered * ASK_EVERY_MS > timeoutMs) {
      unanswered = 0
      asked += 1
      onError(silence(timeoutMs))
      timeoutMs = SILENT_TIMEOUT_MS
      connections.destroyAll()
      return
    }
    if (unanswered > 0) return
    unanswered = 1
    ask(++asked)
  }, ASK_EVERY_MS)

  function ask(question: number): void {
    const answers = sessions.map((session) => session.use((sql) => sql.query('select 1')))
    // A session reports its broken connection itself.
    Promise.allSettled(answers).then((outcomes) => {
      if (question !== asked) return
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      // A session that cannot open gives up sooner than an answer is missed: the question stays open.
      if (failed?.reason?.code === 'ETIMEDOUT') return ask(question)
      unanswered = 0
      if (failed) return
      timeoutMs = RESPONSE_TIMEOUT_MS
      onAnswer()
    })
  }
  timer.unref()

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      asked += 1
      await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()))
    },
  }
}

function silence(timeoutMs: number): Error {
  const error = new Error(`Postgres did not respond for ${timeoutMs} ms.`)
  return Object.assign(error, { code: 'ETIMEDOUT' })
}

import type { Connections } from './connections.ts'
import { openSession } from './session.ts'

export interface HeartbeatOptions {
  readonly url: string
  /** What is broken off. */
  readonly connections: Connections
  readonly onError: (error: unknown) => void
}

const BEAT_EVERY_MS = 1_000

/** Postgres answers this in well under a millisecond, on the busiest machine in a fraction of a second. */
const ANSWER_WITHIN_MS = 4_000

/**
 * Finds out that Postgres is gone without a word, as after a failover or when its machine stops: then connections do not
 * break, and what waits for an answer on them would wait for a quarter of an hour. They are all broken off.
 */
export function startHeartbeat({ url, connections, onError }: HeartbeatOptions): AsyncDisposable {
  const session = openSession(url, { name: 'heartbeat', onOpen: async () => {}, onError })

  let unansweredBeats = 0
  const timer = setInterval(() => {
    // Counted in beats, not by the clock: while this process itself stands still, nothing is unanswered.
    if (unansweredBeats > 0 && ++unansweredBeats * BEAT_EVERY_MS > ANSWER_WITHIN_MS) {
      unansweredBeats = 0
      onError(new Error(`Postgres gave no answer for ${ANSWER_WITHIN_MS} ms.`))
      connections.breakOff()
      return
    }
    if (unansweredBeats > 0) return
    unansweredBeats = 1
    session
      .use((sql) => sql.query('select 1'))
      // That it broke is for the session to tell.
      .catch(() => {})
      .finally(() => {
        unansweredBeats = 0
      })
  }, BEAT_EVERY_MS)
  timer.unref()

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await session[Symbol.asyncDispose]()
    },
  }
}

/** A runner whose heartbeat is late. */
export interface LateRunner {
  readonly id: string
  readonly heartbeatAt: string
  /** Whether the heartbeat is older than 12 s, by the clock of Postgres. */
  readonly isOverdue: boolean
  /** Whether a process marked the runner as abandoned. */
  readonly isAbandoned: boolean
}

/** Returns the ids of the dead runners. Each call needs all late runners, as a call compares them with the last one. */
export type FindDeadRunners = (late: readonly LateRunner[]) => string[]

/** After an outage of Postgres every heartbeat is late. Living runners reconnect within this time. */
const UNCHANGED_FOR_MS = 4_000

/** After a longer gap between two calls, this process itself was paused or disconnected. */
const MAX_GAP_MS = 4_000

export function createDeadRunnerFinder(): FindDeadRunners {
  let calledAt: ClockReading | null = null
  let seen = new Map<string, { readonly heartbeatAt: string; readonly since: ClockReading }>()

  function isDead({ id, isOverdue, isAbandoned }: LateRunner): boolean {
    const since = seen.get(id)?.since
    return isAbandoned || (isOverdue && !!since && elapsedMsSince(since) >= UNCHANGED_FOR_MS)
  }

  return (late) => {
    const isInterrupted = calledAt === null || elapsedMsSince(calledAt) > MAX_GAP_MS
    const before = isInterrupted ? new Map() : seen
    calledAt = readClock()
    seen = new Map(
      late.map(({ id, heartbeatAt }) => {
        const earlier = before.get(id)
        const isUnchanged = earlier?.heartbeatAt === heartbeatAt
        return [id, isUnchanged ? earlier : { heartbeatAt, since: readClock() }]
      }),
    )
    return late.filter(isDead).map(({ id }) => id)
  }
}

/** A point in time by both clocks of this machine. */
export interface ClockReading {
  readonly monotonicMs: number
  readonly wallMs: number
}

export function readClock(): ClockReading {
  return { monotonicMs: performance.now(), wallMs: Date.now() }
}

/** The longer of both times: the monotonic clock stops while a machine sleeps, and the wall clock may be set back. */
export function elapsedMsSince({ monotonicMs, wallMs }: ClockReading): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs)
}

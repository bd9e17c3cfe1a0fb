import { elapsedSinceMs, type Moment, now } from './moment.ts'

/** A runner whose heartbeat is late. */
export interface LateRunner {
  readonly id: string
  readonly heartbeatAt: string
  /** Whether it is late by more than 12 s, by the clock of Postgres. */
  readonly isOverdue: boolean
  /** Whether its own process gave it up. */
  readonly isAbandoned: boolean
}

/** Answers which of the late runners are dead. To be called with all of them at every look. */
export type FindDead = (late: readonly LateRunner[]) => string[]

/** After Postgres was unavailable every heartbeat is late, and the living reconnect first. */
const UNCHANGED_FOR_MS = 4_000

/** Where more time passed between two looks, this process itself stood still or had no connection. */
const LOOKS_AT_MOST_APART_MS = 4_000

export function createFindDead(): FindDead {
  let lastLookAt: Moment | null = null
  let seen = new Map<string, { readonly heartbeatAt: string; readonly since: Moment }>()

  function isDead({ id, isOverdue, isAbandoned }: LateRunner): boolean {
    const since = seen.get(id)?.since
    return isAbandoned || (isOverdue && !!since && elapsedSinceMs(since) >= UNCHANGED_FOR_MS)
  }

  return (late) => {
    const isInterrupted = lastLookAt === null || elapsedSinceMs(lastLookAt) > LOOKS_AT_MOST_APART_MS
    const before = isInterrupted ? new Map() : seen
    lastLookAt = now()
    seen = new Map(
      late.map(({ id, heartbeatAt }) => {
        const earlier = before.get(id)
        const isUnchanged = earlier?.heartbeatAt === heartbeatAt
        return [id, isUnchanged ? earlier : { heartbeatAt, since: now() }]
      }),
    )
    return late.filter(isDead).map(({ id }) => id)
  }
}

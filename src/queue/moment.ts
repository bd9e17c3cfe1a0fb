/** A point in time by both clocks of this machine. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export function now(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() }
}

/** The larger of both: the monotonic clock stands still while a machine sleeps, and the wall clock may be set back. */
export function elapsedSinceMs({ monotonicMs, wallMs }: Moment): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs)
}

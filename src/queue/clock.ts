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

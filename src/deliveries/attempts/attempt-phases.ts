/** The columns of an attempt that its phases follow from. */
export interface PhaseColumns {
  readonly durationMs: number
  readonly firstByteMs: number | null
  readonly status: number | null
  readonly lookupMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
}

/** The phases of an attempt in milliseconds, in order. Null: the attempt did not have the phase. */
export interface AttemptPhases {
  readonly lookupMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From the ready connection to the first byte of the response, or to the failure. */
  readonly waitingMs: number | null
  readonly bodyMs: number | null
  readonly connectionReused: boolean
}

export function phasesOf(attempt: PhaseColumns): AttemptPhases {
  const { durationMs, firstByteMs, status, lookupMs, connectMs, tlsMs } = attempt
  const openedMs = (lookupMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0)
  const restMs = Math.max(0, (firstByteMs ?? durationMs) - openedMs)
  // Without a response, the last phase of opening a connection may be the one that failed.
  const hasWaited = status !== null || (restMs > 0 && (lookupMs === null || tlsMs !== null))
  return {
    lookupMs,
    connectMs,
    tlsMs,
    waitingMs: hasWaited ? restMs : null,
    bodyMs: firstByteMs === null ? null : Math.max(0, durationMs - firstByteMs),
    connectionReused: lookupMs === null && hasWaited,
  }
}

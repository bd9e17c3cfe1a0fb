import type { Attempt } from '../../db/generated/prisma/client.ts'

type PhaseColumns = Pick<
  Attempt,
  'durationMs' | 'firstByteMs' | 'status' | 'lookupMs' | 'connectMs' | 'tlsMs'
>

export type AttemptPhases = ReturnType<typeof phasesOf>

/** The phases of an attempt in milliseconds, in order. Null: the attempt did not have the phase. */
export function phasesOf(attempt: PhaseColumns) {
  const { durationMs, firstByteMs, status, lookupMs, connectMs, tlsMs } = attempt
  const openedMs = (lookupMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0)
  const restMs = Math.max(0, (firstByteMs ?? durationMs) - openedMs)
  // Without a response, the last phase of opening a connection may be the one that failed.
  const hasWaited = status !== null || (restMs > 0 && (lookupMs === null || tlsMs !== null))
  return {
    lookupMs,
    connectMs,
    tlsMs,
    /** From the ready connection to the first byte of the response, or to the failure. */
    waitingMs: hasWaited ? restMs : null,
    bodyMs: firstByteMs === null ? null : Math.max(0, durationMs - firstByteMs),
    connectionReused: lookupMs === null && hasWaited,
  }
}

import type { Attempt } from '../../db/generated/prisma/client.ts'
import { builder } from '../../graphql/builder.ts'

const AttemptPhasesRef = builder.objectRef<AttemptPhases>('AttemptPhases').implement({
  description:
    'Where the time of an attempt went, in milliseconds: the phases in order. Together they are `durationMs`, up to rounding. A failed attempt ends with the phase that failed; the phases after it are null.',
  fields: (t) => ({
    lookupMs: t.exposeInt('lookupMs', {
      nullable: true,
      description: 'Looking up the host name. Null if no connection was opened.',
    }),
    connectMs: t.exposeInt('connectMs', {
      nullable: true,
      description: 'Opening the TCP connection, or the tunnel through the egress proxy.',
    }),
    tlsMs: t.exposeInt('tlsMs', { nullable: true, description: 'The TLS handshake.' }),
    waitingMs: t.exposeInt('waitingMs', {
      nullable: true,
      description:
        'From the ready connection to the first byte of the response or, without a response, to the failure. It includes sending the request.',
    }),
    bodyMs: t.exposeInt('bodyMs', {
      nullable: true,
      description: 'Reading the body of the response. Null if there was no response.',
    }),
    connectionReused: t.exposeBoolean('connectionReused', {
      description:
        'Whether the request was sent on the connection of an earlier attempt, so that it had no look-up, connect or TLS phase.',
    }),
  }),
})

builder.prismaObjectFields('Attempt', (t) => ({
  phases: t.field({
    type: AttemptPhasesRef,
    description: 'Where the time of the attempt went.',
    select: {
      durationMs: true,
      firstByteMs: true,
      status: true,
      lookupMs: true,
      connectMs: true,
      tlsMs: true,
    },
    resolve: phasesOf,
  }),
}))

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

import type { Attempt as AttemptRow, Delivery } from '../../db/generated/prisma/client.ts'
import { builder } from '../../graphql/builder.ts'
import { withinReach } from '../../graphql/context.ts'
import { addList } from '../../graphql/list.ts'
import { filtersByWebhook, rowsOfWebhook } from '../../graphql/portal-access.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { wordsOf } from '../../outbound/failure-reasons.ts'
import { readAttemptFilter } from '../read-filters.ts'
import type { StatusClass } from './attempt-filter.ts'
import { findAttempts, findAttemptsOfEach } from './find-attempts.ts'

const FAILURE = { succeeded: true, status: true, errorCode: true, error: true } as const

builder.prismaNode('Attempt', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: {
    readScope: 'deliveries:read',
    ofWebhook: rowsOfWebhook('attempts'),
  },
  select: { id: true, organizationId: true },
  fields: (t) => ({
    delivery: t.relation('delivery', {
      // Null once it is past its retention: attempts are newer than their delivery, so they are kept longer.
      nullable: true,
      description: 'The delivery. Null once it is past its retention.',
      authScopes: { scope: 'deliveries:read' },
    }),
    number: t.exposeInt('number'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    recordedAt: t.field({
      type: 'DateTime',
      description:
        'When the attempt was recorded, right after it ended. Lists are in this order, and their filters use this time.',
      resolve: ({ id }) => timestampOf(id),
    }),
    succeeded: t.exposeBoolean('succeeded'),
    durationMs: t.exposeInt('durationMs'),
    firstByteMs: t.exposeInt('firstByteMs', { nullable: true }),
    resent: t.exposeBoolean('resent'),
    status: t.exposeInt('status', { nullable: true }),
    errorCode: t.exposeString('errorCode', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
    cause: t.exposeString('cause', { nullable: true }),
    meaning: t.string({
      nullable: true,
      description:
        'What the failure means, in one English sentence: `error`, or what the HTTP status means. Null if the attempt succeeded.',
      select: FAILURE,
      resolve: ({ succeeded, error, ...failure }) =>
        succeeded ? null : (error ?? wordsOf(failure)[0]),
    }),
    advice: t.string({
      nullable: true,
      description: 'What to check, in English sentences. Null if the attempt succeeded.',
      select: FAILURE,
      resolve: ({ succeeded, ...failure }) => (succeeded ? null : wordsOf(failure)[1]),
    }),
  }),
})

addList('Delivery', 'attempts', 'Attempt', {
  description: 'The attempts of the delivery, newest first.',
  scope: 'deliveries:read',
  find: (query, { id, attemptCount }, _args, context, info) => {
    const run = (deliveries: Pick<Delivery, 'id' | 'attemptCount'>[]) =>
      findAttemptsOfEach(context, deliveries, query)
    return context.perField(info, run)({ id, attemptCount })
  },
})

const filterArg = {
  type: 'AttemptFilter',
  description: 'Selects attempts. Default: all.',
} as const

addList('Organization', 'attempts', 'Attempt', {
  description: 'The attempts of the organization, newest first.',
  scope: 'deliveries:read',
  portal: filtersByWebhook,
  args: (t) => ({ filter: t.field(filterArg) }),
  find: async (query, id, { filter }, context) =>
    (await findAttempts(context, id, null, readAttemptFilter(filter), query)).flat(),
})

addList('Webhook', 'attempts', 'Attempt', {
  description: 'The attempts for this webhook, newest first.',
  scope: 'deliveries:read',
  args: (t) => ({ filter: t.field(filterArg) }),
  find: (query, { id, organizationId }, { filter: given }, context, info) => {
    const filter = readAttemptFilter(given)
    const run = (ids: string[]) => findAttempts(context, organizationId, ids, filter, query)
    return context.perOrganization(organizationId, info, run)(id)
  },
})

const FAILED: readonly StatusClass[] = [0, 3, 4, 5]

builder.prismaObjectField('Webhook', 'lastFailure', (t) =>
  t.prismaField({
    type: 'Attempt',
    nullable: true,
    description:
      'The last failed attempt, also if a later attempt succeeded. Null if no failure is on record.',
    authScopes: { scope: 'deliveries:read' },
    resolve: (query, { id, organizationId }, _args, context, info) => {
      const run = async (ids: string[]) => {
        const filter = { statusClasses: FAILED }
        const page = { ...query, take: 1 }
        const pages = await findAttempts(context, organizationId, ids, filter, page)
        return pages.map(([attempt]) => attempt ?? null)
      }
      return context.perOrganization(organizationId, info, run)(id)
    },
  }),
)

/** In order. */
const PHASES = {
  lookupMs: 'Looking up the host name. Null if no connection was opened.',
  connectMs: 'Opening the TCP connection, or the tunnel through the egress proxy.',
  tlsMs: 'The TLS handshake.',
  waitingMs:
    'From the ready connection to the first byte of the response or, without a response, to the failure. It includes sending the request.',
  bodyMs: 'Reading the body of the response. Null if there was no response.',
}

const AttemptPhasesRef = builder.objectRef<AttemptPhases>('AttemptPhases').implement({
  description:
    'Where the time of an attempt went, in milliseconds: the phases in order. Together they are `durationMs`, up to rounding. A failed attempt ends with the phase that failed; the phases after it are null.',
  fields: (t) => ({
    ...Object.fromEntries(
      Object.entries(PHASES).map(([phase, description]) => [
        phase,
        t.exposeInt(phase as keyof typeof PHASES, { nullable: true, description }),
      ]),
    ),
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
  AttemptRow,
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

import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import type { LiveEvent } from './live-event.ts'
import { selectAttempts } from './read-attempts.ts'

/** Where a stream resumes. */
export interface ResumePoint {
  readonly organizationId: string
  /** The uuid of the only webhook of the stream. Null: all. */
  readonly webhookId: string | null
  readonly after: Date
  /** Whether the stream has cancellations. */
  readonly withCanceled: boolean
}

/** A client that missed more reads the lists again, which is faster. */
export const MAX_MISSED = 10_000

/** Attempts are recorded by several transactions: one may commit after another whose attempts have higher ids. */
const REORDERED_WITHIN_MS = 5_000

const PAGE_SIZE = 1_000

interface Missed {
  /** A uuid, in the order of time: the id of an attempt, or the lower bound at a cancellation. */
  readonly position: string
  readonly liveEvent: LiveEvent
}

/**
 * The live events since a point in time, oldest first, so that a stream that breaks can resume from its last event. The
 * pages are read on demand. Null if there are more than `MAX_MISSED`.
 */
export async function openMissed(
  sql: Sql,
  point: ResumePoint,
): Promise<AsyncIterator<readonly LiveEvent[]> | null> {
  const since = new Date(point.after.getTime() - REORDERED_WITHIN_MS)
  const canceled = point.withCanceled ? await readCanceled(sql, point, since) : []
  const attempts = await countAttempts(sql, point, lowerBoundAt(since))
  if (canceled.length + attempts > MAX_MISSED) return null
  return readPages(sql, point, since, canceled)
}

async function* readPages(
  sql: Sql,
  point: ResumePoint,
  since: Date,
  canceled: readonly Missed[],
): AsyncGenerator<readonly LiveEvent[]> {
  let after = lowerBoundAt(since)
  let rest = canceled
  for (;;) {
    const attempts = await readAttemptsAfter(sql, point, after)
    const last = attempts.at(-1)
    if (!last) break
    const before = rest.filter(({ position }) => position <= last.position)
    rest = rest.slice(before.length)
    const page = [...attempts, ...before].sort((a, b) => (a.position < b.position ? -1 : 1))
    yield page.map(({ liveEvent }) => liveEvent)
    after = last.position
  }
  yield rest.map(({ liveEvent }) => liveEvent)
}

/** By the index on (organization_id, status_class, id) or that of the webhook: the list names all status classes. */
const matches = ({ webhookId }: ResumePoint) =>
  `a.organization_id = $1 and a.id > $2 and a.status_class = any ('{0,2,3,4,5}')
   ${webhookId === null ? '' : 'and a.webhook_id = $3'}`

const valuesOf = ({ organizationId, webhookId }: ResumePoint, after: string) =>
  webhookId === null ? [organizationId, after] : [organizationId, after, webhookId]

async function countAttempts(sql: Sql, point: ResumePoint, after: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from (
       select from posthorn.attempts as a where ${matches(point)} limit ${MAX_MISSED + 1}
     ) as missed`,
    valuesOf(point, after),
  )
  return rows[0]?.count ?? 0
}

async function readAttemptsAfter(sql: Sql, point: ResumePoint, after: string): Promise<Missed[]> {
  const attempts = await selectAttempts(sql, matches(point), PAGE_SIZE, valuesOf(point, after))
  return attempts.map((attempt) => ({ position: attempt.attemptId, liveEvent: attempt }))
}

/** By the index on (organization_id, canceled_at). */
async function readCanceled(
  sql: Sql,
  { organizationId, webhookId }: ResumePoint,
  since: Date,
): Promise<Missed[]> {
  const { rows } = await sql.query<{ deliveryId: string; webhookId: string; at: Date }>(
    `select id as "deliveryId", webhook_id as "webhookId", canceled_at as at from posthorn.deliveries
     where organization_id = $1 and canceled_at > $2 and ($3::uuid is null or webhook_id = $3)
     order by canceled_at limit ${MAX_MISSED + 1}`,
    [organizationId, since, webhookId],
  )
  return rows.map(({ at, ...row }) => ({
    position: lowerBoundAt(at),
    liveEvent: { kind: 'canceled', organizationId, ...row },
  }))
}

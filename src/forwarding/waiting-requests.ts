import type { Sql } from '../db/client.ts'
import { LruMap } from '../lib/lru-map.ts'
import type { LiveItem, Topic } from '../live/topic.ts'
import { DEFAULT_LIMITS } from '../outbound/limits.ts'
import type { ForwardedAnswer } from './forwarded-outcome.ts'

/** As long as connecting to an endpoint may take. */
const FETCH_WITHIN_MS = DEFAULT_LIMITS.connectTimeoutMs

export interface NewRequest {
  /** A uuid. */
  readonly id: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly headersCiphertext: Uint8Array
  readonly timeLimitMs: number
}

export async function addRequest(sql: Sql, request: NewRequest): Promise<void> {
  await sql.query({
    name: 'add_forwarded_request',
    text: `
      insert into posthorn.forwarded_requests (id, webhook_id, delivery_id, headers_ciphertext, time_limit_ms)
      values ($1, $2, $3, $4, $5)`,
    values: [
      request.id,
      request.webhookId,
      request.deliveryId,
      request.headersCiphertext,
      request.timeLimitMs,
    ],
  })
}

export interface WaitingRequest {
  readonly id: string
  /** Whether the command got the request. */
  readonly fetched: boolean
  readonly answer: ForwardedAnswer | null
  /** Whether the request was deleted: it has an answer, or its time limit has passed. */
  readonly ended: boolean
}

/** Deletes those of the requests that have ended, and returns all that existed. */
export async function endRequests(sql: Sql, ids: readonly string[]): Promise<WaitingRequest[]> {
  const { rows } = await sql.query<WaitingRequest>({
    name: 'end_forwarded_requests',
    text: `
      with ended as (
        delete from posthorn.forwarded_requests as r
        where r.id = any ($1::uuid[]) and (r.answer is not null
          or now() > coalesce(r.fetched_at + r.time_limit_ms * interval '1 millisecond',
            r.created_at + $2 * interval '1 millisecond'))
        returning r.id, r.fetched_at is not null as fetched, r.answer
      )
      select id, fetched, answer, true as ended from ended
      union all
      select r.id, r.fetched_at is not null, null, false from posthorn.forwarded_requests as r
      where r.id = any ($1::uuid[]) and r.id not in (select id from ended)`,
    values: [ids, FETCH_WITHIN_MS],
  })
  return rows
}

/** Returns `false` if the command has the request. */
export async function deleteUnfetched(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    'delete from posthorn.forwarded_requests where id = $1 and fetched_at is null',
    [id],
  )
  return rowCount === 1
}

export async function deleteRequest(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from posthorn.forwarded_requests where id = $1', [id])
}

/** A request that waits for `posthorn listen --forward`. */
export interface UnfetchedRequest extends LiveItem {
  readonly requestId: string
}

/** How soon a request is sent to streams again that no stream has fetched: the stream of its webhook can open later. */
const REPEAT_EVERY_MS = 1_000

const MAX_UNFETCHED = 1_000

export const forwardedTopic: Topic<UnfetchedRequest> = {
  name: 'forwarded',
  follow(sql, organizationId) {
    const sentAt = new LruMap<string, number>({ maxEntries: MAX_UNFETCHED })
    return async function* () {
      const now = performance.now()
      const due = (await findUnfetched(sql, organizationId)).filter(
        ({ requestId }) => now - (sentAt.get(requestId) ?? -REPEAT_EVERY_MS) >= REPEAT_EVERY_MS,
      )
      for (const { requestId } of due) sentAt.set(requestId, now)
      yield due
    }
  },
}

async function findUnfetched(sql: Sql, organizationId: string): Promise<UnfetchedRequest[]> {
  const { rows } = await sql.query<UnfetchedRequest>({
    name: 'find_unfetched_requests',
    text: `
      select r.id as "requestId", r.webhook_id as "webhookId", null as position
      from posthorn.forwarded_requests as r join posthorn.webhooks as w on w.id = r.webhook_id
      where w.organization_id = $1 and r.fetched_at is null order by r.id limit ${MAX_UNFETCHED}`,
    values: [organizationId],
  })
  return rows
}

import { z } from 'zod'
import { readBodies } from '../bodies/read-bodies.ts'
import type { Sql } from '../db/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import { DEFAULT_LIMITS } from '../outbound/limits.ts'
import type { ForwardedAnswer } from './forwarded-outcome.ts'

/** The signed request of an attempt, for `posthorn listen --forward`. */
export interface ForwardedRequest {
  /** The public id. */
  readonly id: string
  /** The public id of the delivery. */
  readonly deliveryId: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: Buffer
  readonly timeLimitMs: number
}

interface Deps {
  readonly sql: Sql
  readonly keyring: Keyring
}

interface FetchedRow {
  readonly deliveryId: string
  readonly headersCiphertext: Buffer
  readonly timeLimitMs: number
}

/** The request, for the first stream that asks for it; the time limit begins. Null for every later one. */
export async function fetchForwardedRequest(
  { sql, keyring }: Deps,
  organizationId: string,
  uuid: string,
): Promise<ForwardedRequest | null> {
  const { rows } = await sql.query<FetchedRow>(
    `update posthorn.forwarded_requests as r set fetched_at = now()
     from posthorn.deliveries as d
     where r.id = $1 and r.fetched_at is null and d.id = r.delivery_id and d.organization_id = $2
     returning r.delivery_id as "deliveryId", r.headers_ciphertext as "headersCiphertext",
       r.time_limit_ms as "timeLimitMs"`,
    [uuid, organizationId],
  )
  const [row] = rows
  if (!row) return null
  const [body] = await readBodies(sql, [row.deliveryId])
  // The event was deleted meanwhile, and the delivery is canceled once it is loaded again.
  if (body == null) return null
  return {
    id: publicId('forwardedRequest', uuid),
    deliveryId: publicId('delivery', row.deliveryId),
    headers: pairs(JSON.parse(keyring.decrypt(row.headersCiphertext, uuid).toString())),
    body: Buffer.from(body),
    timeLimitMs: row.timeLimitMs,
  }
}

/**
 * Makes the answer of the local server the result of the attempt. Throws `conflict` if the attempt no longer waits for it,
 * also for a request of another organization.
 */
export async function answerForwardedRequest(
  sql: Sql,
  organizationId: string,
  id: string,
  input: unknown,
): Promise<void> {
  const answer: ForwardedAnswer = parseInput(answerSchema, input)
  const uuid = parseId('forwardedRequest', id)
  const { rowCount } = await sql.query(
    `update posthorn.forwarded_requests as r set answer = $3
     where r.id = $1 and r.answer is null and now() < r.fetched_at + r.time_limit_ms * interval '1 millisecond'
       and exists (select from posthorn.webhooks as w where w.id = r.webhook_id and w.organization_id = $2)`,
    [uuid, organizationId, JSON.stringify(answer)],
  )
  if (rowCount === 1) return
  throw new DomainError(
    'conflict',
    `No attempt waits for an answer to the request ${JSON.stringify(id.slice(0, 64))}: it was answered before, or its time limit has passed. A failed attempt is retried by the schedule of the webhook.`,
  )
}

const MAX_HEADERS = 200
const { keepBodyBytes, maxHeaderBytes } = DEFAULT_LIMITS
const ERROR_CODE = /^[A-Z0-9_]{1,64}$/

const milliseconds = z.int('must be a whole number').min(0, 'must not be negative')

const responseSchema = z.object({
  status: z.int().min(200, 'must be from 200 to 599').max(599, 'must be from 200 to 599'),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} entries`)
    .refine(
      (headers) => JSON.stringify(headers).length <= 2 * maxHeaderBytes,
      'must be smaller: Posthorn keeps 16 KiB of headers',
    ),
  body: z
    .base64('must be base64')
    .refine(
      (text) => Buffer.byteLength(text, 'base64') <= keepBodyBytes,
      'must be the first 16 KiB of the body at most',
    ),
  bodyTruncated: z.boolean(),
  firstByteMs: milliseconds,
})

const answerSchema = z
  .object({
    durationMs: milliseconds,
    response: responseSchema.nullish().transform((response) => response ?? null),
    errorCode: z
      .string()
      .regex(ERROR_CODE, 'must be the code of an error, such as "ECONNREFUSED"')
      .nullish()
      .transform((code) => code ?? null),
  })
  .refine(
    ({ response, errorCode }) => (response === null) !== (errorCode === null),
    'Give either response or errorCode.',
  )

function pairs(list: readonly string[]): { name: string; value: string }[] {
  const headers: { name: string; value: string }[] = []
  for (let i = 0; i < list.length; i += 2) {
    headers.push({ name: list[i] ?? '', value: list[i + 1] ?? '' })
  }
  return headers
}

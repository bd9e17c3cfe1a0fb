import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { Quota } from '../../auth/access/rate-limit.ts'
import { type Caller, ownerOf } from '../../auth/access/scope.ts'
import type { Sql } from '../../db/client.ts'
import type { NewEvent } from '../../events/check-event.ts'
import {
  onlyEvent,
  type PublishEvents,
  type PublishedEvent,
  type Publisher,
  publishFor,
  withShorterPaths,
} from '../../events/publish-events.ts'
import { ORGANIZATION_HEADER } from '../../graphql/context.ts'
import { type DirectHandler, type Entrance, headerOf } from '../../http/connection.ts'
import { type Answer, HttpRejection, methodNotAllowed, problemAnswer } from '../../http/problem.ts'
import { JSON_TYPE, readText, readValue } from '../../http/read-body.ts'
import { parseRfc3339 } from '../../lib/rfc3339-time.ts'
import { parseInput } from '../../lib/validation.ts'
import { actFor } from '../../organizations/act-for-organization.ts'
import {
  currentRequestId,
  describeRequest,
  REQUEST_ID_HEADER,
} from '../../telemetry/request-log.ts'
import { acceptCaller, type RestDeps, readIdempotencyKey } from './caller.ts'

const NDJSON_TYPE = 'application/x-ndjson'
const TYPES = [JSON_TYPE, NDJSON_TYPE]

/** As a request of GraphQL. */
export const MAX_PUBLISH_BYTES = 1024 * 1024

const text = z.string().nullish()

/** `checkEvent` has the rules of the values. */
const EVENT = z
  .strictObject({
    type: z.string(),
    data: z.unknown(),
    dataText: text,
    previous: z.unknown(),
    previousText: text,
    timestamp: z.preprocess(
      (given) => (typeof given === 'string' ? (parseRfc3339(given) ?? given) : given),
      z.date({ error: 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.' }).nullish(),
    ),
    idempotencyKey: text,
    traceparent: text,
  })
  .partial({ data: true, previous: true })
type GivenEvent = z.output<typeof EVENT>
const EVENTS = z.array(EVENT)

export const PUBLISH_PATH = '/api/events/v1/events'

const ROUTE = { route: () => PUBLISH_PATH }

interface PublishDeps extends RestDeps {
  readonly sql: Sql
  readonly publishEvents: PublishEvents
  readonly entrance: Entrance
}

/** Publishes the events of a request: one JSON object, a list of them, or one in each line. */
export function createPublish(deps: PublishDeps): DirectHandler {
  const { sql, authenticate, rateLimiter, publishEvents, entrance } = deps
  return async (incoming, outgoing) => {
    describeRequest(ROUTE)
    const quota = new Quota(rateLimiter)
    const place = entrance.openPlace()
    const peer = incoming.socket.remoteAddress ?? ''
    const address = entrance.clientAddress(peer, headerOf(incoming, 'x-forwarded-for'))
    const organization = headerOf(incoming, ORGANIZATION_HEADER)
    const readCaller = async (from: 'database' | 'memory' = 'database') => {
      const caller = await authenticate(incoming.headers.authorization, address, from)
      return organization === null ? caller : await actFor(sql, caller, organization)
    }
    let isKnown = false
    let answer: Answer
    try {
      const caller = await readCaller('memory')
      isKnown = true
      acceptCaller(caller)
      place.admit(ownerOf(caller))
      if (incoming.method !== 'POST') throw methodNotAllowed(incoming.method ?? '', ['POST'])
      const key = readIdempotencyKey(headerOf(incoming, 'idempotency-key'))
      const read = readText(incoming, place, MAX_PUBLISH_BYTES, TYPES)
      const text = typeof read === 'string' ? read : await read
      const type = headerOf(incoming, 'content-type')?.toLowerCase()
      const isLines = type?.startsWith(NDJSON_TYPE)
      const value = isLines ? readLines(text) : readValue(text, 'The body')
      const published = await publishValue({ caller, quota, publishEvents, readCaller }, value, key)
      const headers = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }
      answer = { status: 201, headers, body: JSON.stringify(published) }
    } catch (error) {
      const refusal = isKnown && !quota.isUsed ? await countRequest(readCaller, quota) : null
      answer = problemAnswer(refusal ?? error, incoming, deps)
    }
    // Not for a client that has closed the connection.
    if (!outgoing.destroyed) send(outgoing, answer, quota)
    place.answer(outgoing)
  }
}

/**
 * Counts a request that publishes nothing; others count as their events. Resolves with an error if the key was revoked since
 * it was read, or has reached its limit.
 */
async function countRequest(readCaller: () => Promise<Caller>, quota: Quota): Promise<unknown> {
  try {
    quota.spend(await readCaller(), 'requests', 1)
    return null
  } catch (error) {
    return error
  }
}

function publishValue(
  publisher: Publisher,
  value: unknown,
  key: string | null,
): Promise<PublishedEvent | { readonly events: PublishedEvent[] }> {
  if (!Array.isArray(value)) {
    const given = isPlain(value) ? value : parseInput(EVENT, value)
    return onlyEvent(publishFor(publisher, [toNewEvent(given, key)]))
  }
  if (key !== null) throw ambiguousKey()
  const given = parseInput(EVENTS, value).map((event) => toNewEvent(event, null))
  return withShorterPaths(publishFor(publisher, given), 1).then((events) => ({ events }))
}

/** Whether an event has a type and data alone, as most have. Then nothing is left for the rules of `EVENT`. */
function isPlain(value: unknown): value is GivenEvent {
  const names = Object.keys(value ?? {})
  if (names.length !== 2 || !names.includes('data')) return false
  return typeof (value as Partial<GivenEvent>).type === 'string'
}

/** All headers together: those of `setHeader` cost twice as much. */
function send(outgoing: ServerResponse, { status, headers, body }: Answer, quota: Quota): void {
  Object.assign(headers, quota.headers())
  headers[REQUEST_ID_HEADER] = currentRequestId() ?? ''
  headers['content-length'] = `${Buffer.byteLength(body)}`
  outgoing.writeHead(status, headers).end(body)
}

const readLines = (body: string) =>
  body
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [readValue(line, `Line ${i + 1}`)]))

function toNewEvent(given: GivenEvent, key: string | null): NewEvent {
  const { type, data, dataText, previous, previousText } = given
  const idempotencyKey = given.idempotencyKey ?? key
  if (key !== null && key !== idempotencyKey) throw ambiguousKey()
  return {
    ...{ type, data, dataText, previous, previousText, idempotencyKey },
    occurredAt: given.timestamp ?? null,
    traceParent: given.traceparent ?? null,
  }
}

function ambiguousKey(): HttpRejection {
  const detail =
    'The header Idempotency-Key is for one event without another idempotencyKey. Give each event of a list its own idempotencyKey.'
  const errors = [{ header: 'Idempotency-Key', code: 'ambiguous' as const, detail }]
  return new HttpRejection('invalid', detail, { errors })
}

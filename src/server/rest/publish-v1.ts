import type { Context } from 'hono'
import { z } from 'zod'
import type { Authenticate } from '../../auth/api-keys/authenticate.ts'
import type { NewEvent } from '../../events/check-event.ts'
import { onlyEvent, type PublishEvents, publishFor } from '../../events/publish-events.ts'
import { connectionOf } from '../../http/connection.ts'
import { HttpRejection } from '../../http/problem.ts'
import { JSON_TYPE, readText, readValue } from '../../http/read-body.ts'
import { parseRfc3339 } from '../../lib/rfc3339-time.ts'
import { parseInput } from '../../lib/validation.ts'
import { type CallerEnv, readIdempotencyKey } from './caller.ts'

export const NDJSON_TYPE = 'application/x-ndjson'

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
const EVENTS = z.strictObject({ events: z.array(EVENT) })

interface Deps {
  readonly authenticate: Authenticate
  readonly publishEvents: PublishEvents
}

/** Publishes the events of a request: one JSON object, a list of them, or one in each line. */
export async function publish(c: Context<CallerEnv>, { authenticate, publishEvents }: Deps) {
  const key = readIdempotencyKey(c.req.header('idempotency-key'))
  const { address, inFlight } = connectionOf(c)
  const types = [JSON_TYPE, NDJSON_TYPE]
  const body = await readText(c.req.raw, inFlight, MAX_PUBLISH_BYTES, types)
  const readCaller = () => authenticate(c.req.header('authorization'), address)
  const publisher = { caller: c.get('caller'), quota: c.get('quota'), publishEvents, readCaller }
  const value = c.req.header('content-type')?.toLowerCase().startsWith(NDJSON_TYPE)
    ? readLines(body)
    : readValue(body, 'The body')
  if (!Array.isArray(value)) {
    const event = toNewEvent(parseInput(EVENT, value))
    const keyed = key === null ? event : { ...event, idempotencyKey: event.idempotencyKey ?? key }
    return c.json(await onlyEvent(publishFor(publisher, [keyed])), 201)
  }
  if (key !== null) throw keyOfMany()
  const { events } = parseInput(EVENTS, { events: value })
  return c.json({ events: await publishFor(publisher, events.map(toNewEvent)) }, 201)
}

const readLines = (body: string) =>
  body
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [readValue(line, `Line ${i + 1}`)]))

function toNewEvent({ timestamp, traceparent, ...event }: z.output<typeof EVENT>): NewEvent {
  return { ...event, occurredAt: timestamp ?? null, traceParent: traceparent ?? null }
}

function keyOfMany(): HttpRejection {
  const detail =
    'The header Idempotency-Key is for one event. Give each event of a list its own idempotencyKey.'
  return new HttpRejection('invalid', detail, {
    errors: [{ header: 'Idempotency-Key', code: 'ambiguous', detail }],
  })
}

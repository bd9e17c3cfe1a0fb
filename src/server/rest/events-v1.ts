import { type Context, Hono } from 'hono'
import { credentialOf } from '../../auth/access/scope.ts'
import type { Authenticate } from '../../auth/api-keys/authenticate.ts'
import type { RateLimiter } from '../../auth/rate-limit/rate-limiter.ts'
import { publicId } from '../../db/ids.ts'
import { connectionOf } from '../../http/connection.ts'
import { methodNotAllowed, notFoundProblem, problemResponse } from '../../http/problem.ts'
import { readJsonObject } from '../../http/read-body.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { DomainError, fieldIssue, invalid } from '../../lib/errors.ts'
import type { PulledEvents, PullRequest } from '../../streams/event-stream/consumers/pull-events.ts'
import { printCursor } from '../../streams/event-stream/cursor.ts'
import type { EventStreams, Reader } from '../../streams/event-stream/event-streams.ts'
import type { StreamEvent } from '../../streams/event-stream/read-stream.ts'
import type { EndReason } from '../../streams/live/news.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { OutageLog } from '../../telemetry/outages.ts'
import { actorOf, addRateLimitHeaders, type CallerEnv, requireApiKey } from './caller.ts'

export interface EventsV1Deps {
  readonly authenticate: Authenticate
  readonly rateLimiter: RateLimiter
  readonly eventStreams: EventStreams
  readonly logger: Logger
  readonly outages: OutageLog
}

export const EVENTS_V1_PATH = '/api/events/v1'

/** Pulls by plain HTTP, for programs without GraphQL. Not part of the connect contract. */
export function createEventsV1(deps: EventsV1Deps): Hono<CallerEnv> {
  const { authenticate, rateLimiter, eventStreams } = deps
  const app = new Hono<CallerEnv>()
  app.onError((error, c) => problemResponse(error, c.req.raw, deps))
  app.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  app.use(addRateLimitHeaders(rateLimiter))
  for (const path of ['/pull', '/acknowledge']) app.use(path, requireApiKey(authenticate))

  app.get('/pull', async (c) => {
    // Its answer would be lost, with the events.
    if (c.req.raw.method === 'HEAD') throw methodNotAllowed('HEAD', ['GET'])
    const request = readPull(new URL(c.req.url).searchParams)
    const pulled = await eventStreams.pull(readerOf(c), request)
    const text = printPulled(pulled)
    connectionOf(c).inFlight?.resize('response', 2 * text.length)
    return c.body(text, 200, { 'content-type': 'application/json' })
  })

  app.post('/acknowledge', async (c) => {
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    const { consumer, lease } = readAcknowledgement(body)
    return c.json({ acknowledged: await eventStreams.acknowledge(readerOf(c), consumer, lease) })
  })

  app.all('/pull', (c) => {
    throw methodNotAllowed(c.req.method, ['GET'])
  })
  app.all('/acknowledge', (c) => {
    throw methodNotAllowed(c.req.method, ['POST'])
  })
  app.all('*', (c) => notFoundProblem(c.req.path))
  return app
}

function readerOf(c: Context<CallerEnv>): Reader {
  const caller = c.get('caller')
  return {
    caller,
    actor: actorOf(c),
    signal: c.req.raw.signal,
    disconnect: connectionOf(c).cut,
    toError: (reason) => toError(reason, credentialOf(caller)),
  }
}

/** Why a pull that waits ends, or does not begin to wait. */
function toError(reason: EndReason, credential: string): DomainError {
  switch (reason) {
    case 'revoked':
    case 'expired':
      return new DomainError('unauthenticated', `The ${credential} is ${reason}.`)
    case 'too many':
      return new DomainError(
        'conflict',
        `The ${credential} has as many subscriptions and waiting pulls as it may have. Pull without wait, or close one.`,
      )
    default:
      return new DomainError('unavailable', 'This process is shutting down. Pull again.')
  }
}

/** The texts that were published are sent as they are. */
function printPulled({ lease, expiresAt, events }: PulledEvents): string {
  const members = [
    `"lease":${JSON.stringify(lease)}`,
    `"expiresAt":${JSON.stringify(expiresAt)}`,
    `"events":[${events.map(printEvent).join(',')}]`,
  ]
  return `{${members.join(',')}}`
}

function printEvent(event: StreamEvent): string {
  const { id, type, occurredAt, data, previous } = event
  const members = [
    `"id":"${publicId('event', id)}"`,
    `"type":${JSON.stringify(type)}`,
    `"timestamp":"${occurredAt.toISOString()}"`,
    `"data":${data}`,
    ...(previous === null ? [] : [`"previous":${previous}`]),
    `"cursor":"${printCursor(event)}"`,
  ]
  return `{${members.join(',')}}`
}

const PULL_PARAMETERS = ['consumer', 'types', 'filter', 'max', 'wait', 'lease', 'from']

/** Reads the parameters of a pull. The domain checks the values. */
export function readPull(params: URLSearchParams): PullRequest {
  const issues = [...new Set(params.keys())]
    .filter((name) => !PULL_PARAMETERS.includes(name))
    .map((name) => {
      const detail = `is no parameter.${didYouMean(name, PULL_PARAMETERS)} The parameters are ${PULL_PARAMETERS.join(', ')}.`
      return fieldIssue([name], 'unknown_field', detail)
    })
  const number = (name: string): number | undefined => {
    const text = params.get(name)
    if (text === null) return undefined
    if (!/^\d{1,9}$/.test(text)) {
      issues.push(fieldIssue([name], 'invalid_type', 'must be a whole number.'))
    }
    return Number(text)
  }
  const from = params.get('from')
  if (from !== null && from !== 'now' && from !== 'oldest') {
    issues.push(fieldIssue(['from'], 'invalid_value', 'must be now or oldest.'))
  }
  const consumer = params.get('consumer')
  if (consumer === null) {
    issues.push(fieldIssue(['consumer'], 'required', 'is required: the name of the consumer.'))
  }
  const request = {
    consumer: consumer ?? '',
    types: params.getAll('types').flatMap((text) => text.split(',').filter(Boolean)),
    filterText: params.get('filter'),
    max: number('max'),
    wait: number('wait'),
    lease: number('lease'),
    from: from === 'oldest' ? ('oldest' as const) : ('now' as const),
  }
  if (issues.length > 0) throw invalid(issues)
  return request
}

/** Reads the body of an acknowledgement. */
export function readAcknowledgement(body: Readonly<Record<string, unknown>>): {
  readonly consumer: string
  readonly lease: string
} {
  const { consumer, lease, ...others } = body
  const issues = [
    ...Object.keys(others).map((name) =>
      fieldIssue([name], 'unknown_field', 'is unknown. Send consumer and lease.'),
    ),
    ...Object.entries({ consumer, lease }).flatMap(([name, value]) =>
      typeof value === 'string' ? [] : [fieldIssue([name], 'required', 'is required: a string.')],
    ),
  ]
  if (issues.length > 0) throw invalid(issues)
  return { consumer: String(consumer), lease: String(lease) }
}

import type { Context, Hono } from 'hono'
import { credentialOf } from '../../auth/access/scope.ts'
import { publicId } from '../../db/ids.ts'
import { connectionOf } from '../../http/connection.ts'
import { methodNotAllowed, notFoundProblem } from '../../http/problem.ts'
import { readJsonObject } from '../../http/read-body.ts'
import { DomainError } from '../../lib/errors.ts'
import {
  acknowledgeEvents,
  type PulledEvents,
  pullEvents,
} from '../../streams/event-stream/consumers/pull-events.ts'
import { printCursor } from '../../streams/event-stream/cursor.ts'
import type { Reader, StreamDeps } from '../../streams/event-stream/follow-events.ts'
import type { StreamEvent } from '../../streams/event-stream/read-stream.ts'
import type { EndReason } from '../../streams/live/news.ts'
import {
  actorOf,
  type CallerEnv,
  createRestRoutes,
  type RestDeps,
  requireApiKey,
} from './caller.ts'

export const EVENTS_V1_PATH = '/api/events/v1'

/** Not HEAD for a pull: its answer would be lost, with the events. */
const METHODS = { '/pull': 'GET', '/acknowledge': 'POST' }

/** Pulls events by plain HTTP, for programs without GraphQL. Not part of the connect contract. */
export function createEventsV1(deps: StreamDeps & RestDeps): Hono<CallerEnv> {
  const app = createRestRoutes(deps)
  for (const [path, method] of Object.entries(METHODS)) {
    app.use(path, requireApiKey(deps.authenticate), async (c, next) => {
      if (c.req.raw.method !== method) throw methodNotAllowed(c.req.raw.method, [method])
      await next()
    })
  }

  app.get('/pull', async (c) => {
    const pulled = await pullEvents(deps, readerOf(c), readQuery(new URL(c.req.url).searchParams))
    const text = printPulled(pulled)
    connectionOf(c).inFlight?.resize('response', 2 * text.length)
    return c.body(text, 200, { 'content-type': 'application/json' })
  })

  app.post('/acknowledge', async (c) => {
    const body = await readJsonObject(c.req.raw, connectionOf(c).inFlight)
    return c.json({ acknowledged: await acknowledgeEvents(deps.sql, readerOf(c), body) })
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

function readQuery(params: URLSearchParams): Record<string, unknown> {
  const types = params.getAll('types').flatMap((text) => text.split(',').filter(Boolean))
  const { filter: filterText, ...given } = Object.fromEntries(params)
  return { ...given, types, filterText }
}

import { beforeEach } from 'vitest'
import { SYSTEM } from '../../../../src/auth/access/actor.ts'
import type { Caller, Scope } from '../../../../src/auth/access/scope.ts'
import {
  acknowledgeEvents,
  type PullRequest,
  pullEvents,
} from '../../../../src/streams/event-stream/consumers/pull-events.ts'
import {
  followEvents,
  type Reader,
  type StreamRequest,
} from '../../../../src/streams/event-stream/follow-events.ts'
import type { StreamEvent } from '../../../../src/streams/event-stream/read-stream.ts'
import type { TestApp } from '../../../support/app.ts'
import { createTenant } from '../../../support/factories.ts'

/** Event types without a schema, which the files of a database share. */
export const FIRST = 'streamed.first'
export const SECOND = 'streamed.second'

export async function addTypes({ database }: TestApp): Promise<void> {
  await database.pool.query(
    `insert into posthorn.event_types (name, description)
     select name, 'Streamed.' from unnest($1::text[]) as name on conflict do nothing`,
    [[FIRST, SECOND]],
  )
}

/** Both types, and an organization for each test, which publishes events with the numbers of a range. */
export async function useStreams(posthorn: TestApp) {
  await addTypes(posthorn)
  const tenant = {} as TestApp['tenant']
  beforeEach(async () => {
    Object.assign(tenant, await createTenant(posthorn.database.prisma))
  })
  async function publish(from: number, to: number, type = FIRST): Promise<void> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const events = numbers.map((n) => ({ type, data: { n } }))
    await posthorn.services.publishEvents(tenant.organizationId, events)
  }
  return { tenant, publish, streams: streamsOf(posthorn) }
}

/** What reads events, in the process of the app. */
export function streamsOf({ services: { database, live } }: TestApp) {
  const deps = { sql: database.pool, live }
  return {
    subscribe: (reader: Reader, request: StreamRequest) => followEvents(deps, reader, request),
    pull: (reader: Reader, request: PullRequest) => pullEvents(deps, reader, request),
    acknowledge: (reader: Reader, consumer: string, lease: string) =>
      acknowledgeEvents(deps.sql, reader, { consumer, lease }),
  }
}

/** A reader of an organization's events. */
export function readerOf(
  { organizationId, keyId }: { readonly organizationId: string; readonly keyId: string },
  options: Partial<Caller> & { readonly signal?: AbortSignal } = {},
): Reader {
  const { signal, ...caller } = options
  return {
    caller: {
      keyId,
      keyVersion: '',
      organizationId,
      scopes: new Set<Scope>(['events:read']),
      limits: { requestsPerSecond: 100, eventsPerSecond: 100, deliveriesPerSecond: 100 },
      expiresAt: null,
      consoleSessionId: null,
      person: null,
      session: null,
      ...caller,
    },
    actor: SYSTEM,
    signal,
    disconnect: () => {},
    toError: (reason) => new Error(reason),
  }
}

/** The next events of a stream. */
export async function take(
  stream: AsyncIterator<StreamEvent>,
  count: number,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  while (events.length < count) {
    const { value, done } = await stream.next()
    if (done) break
    events.push(value)
  }
  return events
}

export const numbersOf = (events: readonly StreamEvent[]): number[] =>
  events.map(({ data }) => JSON.parse(data).n)

import { SYSTEM } from '../../../src/access/actor.ts'
import type { Caller, Scope } from '../../../src/access/scope.ts'
import type { Database } from '../../../src/db/client.ts'
import type { Reader } from '../../../src/event-stream/event-streams.ts'
import type { StreamEvent } from '../../../src/event-stream/stream-event.ts'

/** Event types without a schema, which the files of a database share. */
export const FIRST = 'streamed.first'
export const SECOND = 'streamed.second'

export async function addTypes({ pool }: Database): Promise<void> {
  await pool.query(
    `insert into posthorn.event_types (name, description)
     select name, 'Streamed.' from unnest($1::text[]) as name on conflict do nothing`,
    [[FIRST, SECOND]],
  )
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

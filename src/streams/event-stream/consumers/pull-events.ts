import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../../auth/access/actor.ts'
import type { Sql } from '../../../db/client.ts'
import { publicId } from '../../../db/ids.ts'
import { type FieldIssue, fieldIssue, invalid } from '../../../lib/errors.ts'
import { type Cursor, isBefore } from '../cursor.ts'
import {
  createSelect,
  type EventSelection,
  type GivenSelection,
  readSelection,
} from '../event-matcher.ts'
import { givePositions, readBounds, type UseStream } from '../event-stream.ts'
import type { StreamEvent } from '../read-stream.ts'
import { isReadable, readEvents, readStream } from '../read-stream.ts'
import {
  type ConsumerStart,
  type ConsumerState,
  checkConsumerName,
  createConsumer,
  notePull,
} from './consumer.ts'
import { leaseAgain, leaseRead, shortenLease } from './leases.ts'

export const MAX_PULLED = 1_000
export const DEFAULT_PULLED = 100
export const MAX_WAIT_SECONDS = 20
export const MAX_LEASE_SECONDS = 3_600
export const DEFAULT_LEASE_SECONDS = 60

/** The largest answer. Its first event can have more bytes. */
const MAX_BYTES = 2 * 1024 * 1024

/** One pull reads so many events at most that its filter refuses, and so long; the next one goes on. */
const MAX_SCANNED = 20_000
const MAX_FILTERED = 100
const MAX_SCAN_MS = 1_000

/** While a pull waits, it also looks for leases that expire. */
const LOOK_EVERY_MS = 1_000

export interface PullRequest extends GivenSelection {
  readonly consumer: string
  readonly max?: number | null | undefined
  /** Seconds. */
  readonly wait?: number | null | undefined
  /** Seconds. */
  readonly lease?: number | null | undefined
  readonly from?: ConsumerStart | null | undefined
}

export interface PulledEvents {
  /** A public id. Null without events. */
  readonly lease: string | null
  readonly expiresAt: Date | null
  readonly events: readonly StreamEvent[]
}

export interface PullDeps {
  readonly sql: Sql
  readonly useStream: UseStream
  readonly actor: Actor
  /** Emits when the organization has new events, and ends or throws when the process or the caller's key does. */
  readonly openNews: () => Promise<AsyncIterator<unknown>>
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal | undefined
}

interface Pull {
  readonly name: string
  readonly selection: EventSelection
  readonly start: ConsumerStart
  readonly max: number
  readonly waitSeconds: number
  readonly leaseSeconds: number
}

const NOTHING: PulledEvents = { lease: null, expiresAt: null, events: [] }

/**
 * Gives the next events of a consumer, with a lease on them: first those whose leases have expired, then those that nobody
 * has read. Creates the consumer with its first pull. Waits for events as long as the request says.
 */
export async function pullEvents(
  deps: PullDeps,
  organizationId: string,
  request: PullRequest,
): Promise<PulledEvents> {
  checkConsumerName(request.consumer)
  const pull = readPull(request)
  const endsAtMs = performance.now() + pull.waitSeconds * 1_000
  await deps.useStream(organizationId)
  let news: AsyncIterator<unknown> | null = null
  let next: Promise<IteratorResult<unknown>> | null = null
  try {
    for (;;) {
      const pulled = await pullOnce(deps, organizationId, pull)
      const leftMs = endsAtMs - performance.now()
      if (pulled.events.length > 0 || leftMs <= 0 || deps.signal?.aborted) return pulled
      if (news === null) {
        // What committed before the news opened is found by one more look.
        news = await deps.openNews()
      } else {
        next ??= news.next()
        const came = await withinMs(next, Math.min(leftMs, LOOK_EVERY_MS), deps.signal)
        if (came?.done) return NOTHING
        if (came) next = null
      }
    }
  } finally {
    next?.catch(() => {})
    await news?.return?.()
  }
}

/** Null after the time, or when the client left. */
async function withinMs<Result>(
  promise: Promise<Result>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<Result | null> {
  const timer = new AbortController()
  const signals = signal ? [timer.signal, signal] : [timer.signal]
  const time = sleep(ms, null, { signal: AbortSignal.any(signals), ref: false }).catch(() => null)
  try {
    return await Promise.race([promise, time])
  } finally {
    timer.abort()
  }
}

async function pullOnce(deps: PullDeps, organizationId: string, pull: Pull): Promise<PulledEvents> {
  const { sql } = deps
  const { id } = await beginPull(deps, organizationId, pull)
  const again = await pullAgain(sql, organizationId, id, pull)
  if (again) return again
  await givePositions(sql, organizationId)
  for (;;) {
    const consumer = await beginPull(deps, organizationId, pull)
    const pulled = await pullOn(sql, organizationId, consumer, pull)
    if (pulled) return pulled
  }
}

async function beginPull(
  { sql, actor }: PullDeps,
  organizationId: string,
  { name, selection, start }: Pull,
): Promise<ConsumerState> {
  for (;;) {
    const consumer = await notePull(sql, organizationId, name, selection)
    if (consumer) return consumer
    await givePositions(sql, organizationId)
    const bounds = await readBounds(sql, organizationId)
    await createConsumer(sql, organizationId, name, bounds, start, actor)
  }
}

/** Events of expired leases. Null if there are none. */
async function pullAgain(
  sql: Sql,
  organizationId: string,
  consumerId: string,
  { max, leaseSeconds }: Pull,
): Promise<PulledEvents | null> {
  const lease = await leaseAgain(sql, consumerId, max, leaseSeconds)
  if (lease === null) return null
  const uuids = lease.events.map(({ id }) => id)
  const found = await readEvents(sql, organizationId, uuids, MAX_BYTES)
  const events = found.flatMap((event, i) => {
    const leased = lease.events[i]
    return isReadable(event) && leased
      ? [{ ...event, position: leased.position, index: leased.index }]
      : []
  })
  if (events.length < lease.events.length) {
    const missed = found.filter((event) => event === null).length
    const later = lease.events.slice(found.length)
    await shortenLease(sql, consumerId, lease.id, events, later, missed)
  }
  return events.length === 0 ? null : toPulled(lease, events)
}

/** Reads on from where the consumer is. Null if another pull did so meanwhile. */
async function pullOn(
  sql: Sql,
  organizationId: string,
  consumer: ConsumerState,
  { selection, max, leaseSeconds }: Pull,
): Promise<PulledEvents | null> {
  const { events, next, missed } = await scan(sql, organizationId, consumer.read, selection, max)
  if (next === consumer.read) return NOTHING
  const lease = await leaseRead(sql, consumer, next, events, missed, leaseSeconds)
  if (lease === null) return null
  return lease === 'nothing' ? NOTHING : toPulled(lease, events)
}

async function scan(
  sql: Sql,
  organizationId: string,
  after: Cursor,
  selection: EventSelection,
  max: number,
): Promise<{ events: StreamEvent[]; next: Cursor; missed: number }> {
  const select = createSelect(sql, selection)
  const endsAtMs = performance.now() + MAX_SCAN_MS
  const events: StreamEvent[] = []
  let [next, missed, scanned, characters] = [after, 0, 0, 0]
  while (events.length < max && scanned < MAX_SCANNED && performance.now() < endsAtMs) {
    const maxEvents = selection.filter
      ? MAX_FILTERED
      : selection.types
        ? MAX_PULLED
        : max - events.length
    const maxBytes = MAX_BYTES - characters
    if (maxBytes <= 0) break
    const page = await readStream(sql, organizationId, next, { maxEvents, maxBytes })
    scanned += page.events.length + page.missing.length
    const found = (await select(page.events)).slice(0, max - events.length)
    events.push(...found)
    characters += found.reduce(
      (sum, { data, previous }) => sum + data.length + (previous?.length ?? 0),
      0,
    )
    const last = events.length < max ? undefined : found.at(-1)
    const end = last ? { position: last.position, index: last.index } : page.next
    next = end
    missed += page.missing.filter((place) => !isBefore(end, place)).length
    if (page.isEnd) break
  }
  return { events, next, missed }
}

function toPulled(
  { id, expiresAt }: { readonly id: string; readonly expiresAt: Date },
  events: readonly StreamEvent[],
): PulledEvents {
  return { lease: publicId('lease', id), expiresAt, events }
}

function readPull(request: PullRequest): Pull {
  const issues: FieldIssue[] = []
  const read = (name: 'max' | 'wait' | 'lease', least: number, most: number, usual: number) => {
    const value = request[name] ?? usual
    if (Number.isInteger(value) && value >= least && value <= most) return value
    const rule = `must be a whole number from ${least} to ${most.toLocaleString('en')}, not ${value}.`
    issues.push(fieldIssue([name], 'out_of_range', rule))
    return usual
  }
  const max = read('max', 1, MAX_PULLED, DEFAULT_PULLED)
  const waitSeconds = read('wait', 0, MAX_WAIT_SECONDS, 0)
  const leaseSeconds = read('lease', 1, MAX_LEASE_SECONDS, DEFAULT_LEASE_SECONDS)
  if (issues.length > 0) throw invalid(issues)
  const { consumer: name, from } = request
  const selection = readSelection(request)
  return { name, selection, start: from ?? 'now', max, waitSeconds, leaseSeconds }
}

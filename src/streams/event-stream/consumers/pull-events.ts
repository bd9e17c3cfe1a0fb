import type { Actor } from '../../../auth/access/actor.ts'
import type { Sql } from '../../../db/client.ts'
import { publicId } from '../../../db/ids.ts'
import { type FieldIssue, fieldIssue, invalid } from '../../../lib/errors.ts'
import type { Cursor } from '../cursor.ts'
import { type EventSelection, type GivenSelection, readSelection } from '../event-matcher.ts'
import { type EventNews, givePositions, readBounds, type UseStream } from '../event-stream.ts'
import { type EventScope, readEvents, readStream, type StreamEvent } from '../read-stream.ts'
import {
  type ConsumerStart,
  type ConsumerState,
  checkConsumerName,
  createConsumer,
  notePull,
} from './consumer.ts'
import { leaseAgain, leaseRead } from './leases.ts'

export const MAX_PULLED = 1_000
export const DEFAULT_PULLED = 100
export const MAX_WAIT_SECONDS = 20
export const MAX_LEASE_SECONDS = 3_600
export const DEFAULT_LEASE_SECONDS = 60

/** The largest answer. Its first event can have more bytes. */
const MAX_BYTES = 2 * 1024 * 1024

/** One pull reads so many events at most that its filter refuses, and so long; the next one goes on. */
const MAX_SCANNED = 20_000
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
  /** Begins to wait for events of the organization. */
  readonly openNews: () => Promise<EventNews>
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
  let waiting: EventNews | null = null
  try {
    for (;;) {
      const pulled = await pullOnce(deps, organizationId, pull)
      const leftMs = endsAtMs - performance.now()
      if (pulled.events.length > 0 || leftMs <= 0 || deps.signal?.aborted) return pulled
      if (waiting === null) {
        // What committed before is found by one more look.
        waiting = await deps.openNews()
        const { news } = waiting
        deps.signal?.addEventListener('abort', () => news.close())
      } else if (!(await waiting.next(Math.min(leftMs, LOOK_EVERY_MS)))) return NOTHING
    }
  } finally {
    waiting?.news.close()
  }
}

/** Events of an expired lease, or else those that come after what the consumer has read. */
async function pullOnce(deps: PullDeps, organizationId: string, pull: Pull): Promise<PulledEvents> {
  const { sql } = deps
  for (;;) {
    const consumer = await beginPull(deps, organizationId, pull)
    const again = await pullAgain(sql, organizationId, consumer.id, pull)
    if (again) return again
    await givePositions(sql, organizationId)
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
    const bounds = await readBounds(sql, organizationId)
    await createConsumer(sql, organizationId, name, bounds, start, actor)
  }
}

/** Events of an expired lease. Null if there are none. */
async function pullAgain(
  sql: Sql,
  organizationId: string,
  consumerId: string,
  { max, leaseSeconds }: Pull,
): Promise<PulledEvents | null> {
  const lease = await leaseAgain(sql, consumerId, max, leaseSeconds)
  if (lease === null) return null
  const scope = { organizationId, webhookId: null, selection: null }
  const events = await readEvents(sql, scope, lease.events)
  return events.length === 0 ? null : toPulled(lease, events)
}

/** Reads on from where the consumer is. Null if another pull did so meanwhile. */
async function pullOn(
  sql: Sql,
  organizationId: string,
  consumer: ConsumerState,
  { selection, max, leaseSeconds }: Pull,
): Promise<PulledEvents | null> {
  const scope = { organizationId, webhookId: null, selection }
  const { events, next, missed } = await scan(sql, scope, consumer.read, max)
  if (next === consumer.read) return NOTHING
  const lease = await leaseRead(sql, consumer, next, events, missed, leaseSeconds)
  if (lease === null) return null
  return lease === 'nothing' ? NOTHING : toPulled(lease, events)
}

async function scan(
  sql: Sql,
  scope: EventScope,
  after: Cursor,
  max: number,
): Promise<{ events: StreamEvent[]; next: Cursor; missed: number }> {
  const endsAtMs = performance.now() + MAX_SCAN_MS
  const events: StreamEvent[] = []
  let [next, missed, scanned, characters] = [after, 0, 0, 0]
  while (events.length < max && scanned < MAX_SCANNED && performance.now() < endsAtMs) {
    const size = { maxEvents: max - events.length, maxBytes: MAX_BYTES - characters }
    if (size.maxBytes <= 0) break
    const page = await readStream(sql, scope, next, size)
    if (page.scanned === 0) break
    events.push(...page.events)
    next = page.next
    missed += page.missed
    scanned += page.scanned
    for (const { data, previous } of page.events)
      characters += data.length + (previous?.length ?? 0)
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

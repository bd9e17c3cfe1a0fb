import { addAbortListener } from 'node:events'
import { z } from 'zod'
import { credentialOf } from '../../../auth/access/scope.ts'
import type { Sql } from '../../../db/client.ts'
import { parseId, publicId } from '../../../db/ids.ts'
import { DomainError, notFound } from '../../../lib/errors.ts'
import { parseInput } from '../../../lib/validation.ts'
import { type EventSelection, readSelection } from '../event-matcher.ts'
import { givePositions, readBounds } from '../event-stream.ts'
import { type Reader, type StreamDeps, scopeOf } from '../follow-events.ts'
import {
  EVENT_COLUMNS,
  type EventRow,
  type EventScope,
  MAX_SCANNED,
  pageOf,
  type StreamEvent,
  scopeValues,
  streamPlaces,
  toEvents,
} from '../read-stream.ts'
import { consumerName, createConsumer } from './consumer.ts'

export const MAX_PULLED = 1_000
export const DEFAULT_PULLED = 100
export const MAX_WAIT_SECONDS = 20
export const MAX_LEASE_SECONDS = 3_600
export const DEFAULT_LEASE_SECONDS = 60

/** The largest answer. Its first event can have more bytes. */
const MAX_BYTES = 2 * 1024 * 1024

/** A pull goes on for this time while its filter refuses what it reads; the next one goes on after that. */
const MAX_SCAN_MS = 1_000

/** While a pull waits, it also looks for leases that expire. */
const LOOK_EVERY_MS = 1_000

const wholeNumber = (least: number, most: number, usual: number) => {
  const rule = `must be a whole number from ${least} to ${most.toLocaleString('en')}.`
  const number = z.coerce.number(rule).int(rule).min(least, rule).max(most, rule)
  return number.nullish().transform((value) => value ?? usual)
}

const pullRequest = z.strictObject({
  consumer: consumerName,
  types: z.array(z.string()).nullish(),
  filter: z.unknown().optional(),
  filterText: z.string().nullish(),
  max: wholeNumber(1, MAX_PULLED, DEFAULT_PULLED),
  /** Seconds. */
  wait: wholeNumber(0, MAX_WAIT_SECONDS, 0),
  /** Seconds. */
  lease: wholeNumber(1, MAX_LEASE_SECONDS, DEFAULT_LEASE_SECONDS),
  /** Where a new consumer begins. Default: now. */
  from: z.enum(['now', 'oldest'], 'must be now or oldest').nullish(),
})

/** The numbers may be texts, as in a query of a URL. */
export type PullRequest = z.input<typeof pullRequest>

export interface PulledEvents {
  /** A public id. Null without events. */
  readonly lease: string | null
  readonly expiresAt: Date | null
  readonly events: readonly StreamEvent[]
}

const NOTHING: PulledEvents = { lease: null, expiresAt: null, events: [] }

/**
 * Gives the next events of a consumer, with a lease on them: first those whose leases have expired, then those that nobody
 * has read. Creates the consumer with its first pull. Waits for events as long as the request says, unless the client leaves.
 */
export async function pullEvents(
  deps: StreamDeps,
  reader: Reader,
  request: Readonly<Record<string, unknown>>,
): Promise<PulledEvents> {
  requireWholeOrganization(reader)
  const pull = parseInput(pullRequest, request)
  const selection = readSelection(pull)
  const pullOnce = () => pullPage(deps.sql, reader, pull, selection)
  const pulled = await pullOnce()
  if (pulled.events.length > 0 || pull.wait === 0) return pulled
  const endsAtMs = performance.now() + pull.wait * 1_000
  return await deps.live.open(reader, 'events', async (news) => {
    using _leaving = reader.signal && addAbortListener(reader.signal, () => news.close())
    try {
      // What committed before is found by one more look.
      while (!reader.signal?.aborted) {
        const found = await pullOnce()
        const leftMs = endsAtMs - performance.now()
        if (found.events.length > 0 || leftMs <= 0) return found
        await news.next(Math.min(leftMs, LOOK_EVERY_MS))
      }
      return NOTHING
    } finally {
      news.close()
    }
  })
}

/** Consumers belong to the organization: an event that one program pulls is not given to the others. */
function requireWholeOrganization({ caller }: Reader): EventScope {
  const scope = scopeOf(caller, null)
  if (!caller.session) return scope
  const message = `A ${credentialOf(caller)} cannot use consumers, which belong to the organization. Subscribe to \`events\`, or use an API key.`
  throw new DomainError('forbidden', message)
}

/** Goes on while a filter refuses what a statement looks at. */
async function pullPage(
  sql: Sql,
  { caller, actor }: Reader,
  { consumer, max, lease: leaseSeconds, from }: z.output<typeof pullRequest>,
  selection: EventSelection,
): Promise<PulledEvents> {
  const { organizationId } = caller
  const scope = { organizationId, webhookId: null, selection }
  const values = [
    ...scopeValues(scope, { maxEvents: max, maxBytes: MAX_BYTES }),
    ...[consumer, MAX_SCANNED, leaseSeconds, selection.types ?? [], selection.filter?.text],
  ]
  const endsAtMs = performance.now() + MAX_SCAN_MS
  while (performance.now() < endsAtMs) {
    await givePositions(sql, organizationId)
    const statement = { name: 'pull_events', text: PULL_EVENTS, values }
    const { rows } = await sql.query<PulledRow>(statement)
    const [first] = rows
    if (!first) {
      const bounds = await readBounds(sql, organizationId)
      await createConsumer(sql, organizationId, consumer, bounds, from ?? 'now', actor)
      continue
    }
    const { lease, expiresAt, scanned } = first
    if (lease) return { lease: publicId('lease', lease), expiresAt, events: toEvents(rows) }
    if (scanned === 0) break
  }
  return NOTHING
}

type PulledRow = EventRow & {
  /** A uuid. Null without events. */
  readonly lease: string | null
  readonly expiresAt: Date | null
  readonly scanned: number
}

/**
 * Leases the events of the lease that expired first or, if there is none, those after what the consumer has read. Pulls of one
 * consumer wait for each other. A lease that is acknowledged meanwhile is locked, and skipped. What does not fit into the page
 * waits in an expired lease.
 */
const PULL_EVENTS = `
  with consumer as materialized (
    select id, read_position, read_index from posthorn.event_consumers where organization_id = $1 and name = $10 for update
  ),
  expired as materialized (
    delete from posthorn.consumer_leases where id = (
      select l.id from consumer, posthorn.consumer_leases as l
      where l.consumer_id = consumer.id and l.expires_at <= now()
      order by l.expires_at limit 1 for update of l skip locked)
    returning event_ids, positions, indexes
  ),
  ${pageOf(`
    select leased.position::float8, leased.index, leased.id, true as is_chosen
    from expired, unnest(positions, indexes, event_ids) as leased (position, index, id)
    union all
    select * from (${streamPlaces('(select read_position from consumer)', '(select read_index from consumer)', '$11::int')}) as unread
    where not exists (select from expired)`)},
  last as (
    select position, index, is_chosen from page order by position desc, index desc limit 1
  ),
  leases as (
    insert into posthorn.consumer_leases (consumer_id, event_ids, positions, indexes, expires_at)
    select consumer.id, array_agg(given.id order by position, index), array_agg(position::bigint order by position, index),
      array_agg(index order by position, index), case when is_read then now() + $12 * interval '1 second' else now() end
    from consumer, (
      select id, position, index, true as is_read from page where is_wanted
      union all
      select id, position, index, false from place
      where is_chosen and (position, index) > (select position, index from last)
    ) as given
    group by consumer.id, is_read
    returning id, expires_at
  ),
  moved as (
    update posthorn.event_consumers as c
    set last_pulled_at = now(), types = $13, filter = $14,
      read_position = case when last.is_chosen = false then last.position else c.read_position end,
      read_index = case when last.is_chosen = false then last.index else c.read_index end,
      missed_count = c.missed_count + gone.count,
      last_missed_at = case when gone.count > 0 then now() else c.last_missed_at end
    from consumer left join last on true cross join (select count(*) from page where is_gone) as gone
    where c.id = consumer.id
  )
  select ${EVENT_COLUMNS}, lease.id as lease, lease.expires_at as "expiresAt", (select count(*)::int from page) as scanned
  from consumer left join page on is_wanted
  left join leases as lease on lease.expires_at > now()
  order by position, index`

/**
 * Acknowledges the events of a lease. Returns how many: 0 if they were acknowledged before, or if the lease had expired and
 * another pull got them.
 */
export async function acknowledgeEvents(
  sql: Sql,
  reader: Reader,
  request: object,
): Promise<number> {
  const { organizationId } = requireWholeOrganization(reader)
  const { consumer, lease } = parseInput(acknowledgement, request)
  const uuid = parseId('lease', lease)
  const { rows } = await sql.query<{ count: number }>({
    name: 'acknowledge_events',
    text: ACKNOWLEDGE,
    values: [organizationId, consumer, uuid],
  })
  const [row] = rows
  if (!row) throw notFound('consumer', consumer)
  if (uuid === null) throw notFound('lease', lease)
  return row.count
}

const acknowledgement = z.strictObject({
  consumer: consumerName,
  lease: z.string('must be a string'),
})

/** The primary key of the leases serves it. */
const ACKNOWLEDGE = `
  with consumer as (
    select id from posthorn.event_consumers where organization_id = $1 and name = $2
  ),
  acknowledged as (
    delete from posthorn.consumer_leases as l using consumer
    where l.id = $3 and l.consumer_id = consumer.id
    returning cardinality(l.event_ids) as count
  )
  select coalesce((select count from acknowledged), 0) as count from consumer`

import { until } from '../support/until.ts'
import type { CountingReceiver } from './counting-receiver.ts'
import type { Member } from './members.ts'
import type { OwnPostgres } from './own-postgres.ts'
import type { Publisher } from './publisher.ts'
import type { Seen } from './receiver-process.ts'
import type { RoundResult } from './round.ts'

/** What arrived, against what was promised. */
export interface Verdict {
  readonly accepted: number
  readonly refused: number
  readonly deliveries: number
  readonly arrivals: number
  /** Deliveries of accepted events that did not arrive. */
  readonly missing: number
  /** Deliveries recorded as succeeded. */
  readonly succeeded: number
  /** Those of them that no 2xx was sent for. */
  readonly unacknowledged: number
  /** Arrivals after a 2xx was sent for the same `wh-id`. */
  readonly duplicates: number
  readonly duplicatesAtMost: number
  readonly unavailable: number
  readonly broken: number
  readonly slowestRefusalMs: number
  /** What must not be; empty when all is well. */
  readonly violations: readonly string[]
}

interface Evidence {
  readonly postgres: OwnPostgres
  readonly receiver: CountingReceiver
  readonly publisher: Publisher
  readonly members: readonly Member[]
  readonly rounds: readonly RoundResult[]
}

const HOOKS = ['/steady', '/shaky']
const DRAINED_WITHIN_MS = 60_000

export async function judge(evidence: Evidence): Promise<Verdict> {
  const { postgres, receiver, publisher, members, rounds } = evidence
  const violations = rounds.flatMap(({ number, fault, violations: found }) =>
    found.map((text) => `Round ${number} (${fault}): ${text}`),
  )
  await until(() => isDrained(postgres), 'nothing is pending', DRAINED_WITHIN_MS).catch(() => {})
  violations.push(...(await leftovers(postgres)))

  const byId = await receiver.seen()
  const seen = [...byId.values()]
  const arrived = new Set(seen.map(({ event, path }) => `${event} ${path}`))
  const owed = [...publisher.accepted].flatMap((event) => HOOKS.map((path) => `${event} ${path}`))
  const missing = owed.filter((one) => !arrived.has(one))
  if (missing.length > 0) {
    violations.push(
      `${missing.length} deliveries of accepted events never arrived: ${missing.slice(0, 5)}`,
    )
  }
  const successes = await recordedSuccesses(postgres)
  const unacknowledged = unacknowledgedOf(successes, byId)
  if (unacknowledged.length > 0) {
    violations.push(
      `${unacknowledged.length} deliveries are on record as succeeded that no 2xx was sent for: ${unacknowledged.slice(0, 5)}`,
    )
  }
  if (seen.length > arrived.size) {
    violations.push(
      `${seen.length - arrived.size} events became more than one delivery to a webhook.`,
    )
  }
  const intruders = seen.filter(({ event }) => publisher.refused.has(event))
  if (intruders.length > 0) violations.push(`${intruders.length} arrivals are of refused events.`)
  violations.push(...publisher.surprises.slice(0, 5).map((text) => `The API answered ${text}`))
  for (const member of members) violations.push(...alarms(member))

  const duplicates = seen.reduce((sum, { againAtMs }) => sum + againAtMs.length, 0)
  violations.push(...excess(seen, rounds))
  return {
    accepted: publisher.accepted.size,
    refused: publisher.refused.size,
    deliveries: seen.length,
    arrivals: seen.reduce((sum, { arrivals }) => sum + arrivals, 0),
    missing: missing.length,
    succeeded: successes.length,
    unacknowledged: unacknowledged.length,
    duplicates,
    duplicatesAtMost: rounds.reduce((sum, { bound }) => sum + bound, 0),
    unavailable: publisher.retries.unavailable,
    broken: publisher.retries.broken,
    slowestRefusalMs: publisher.slowestRefusalMs,
    violations,
  }
}

/** How many deliveries each fault doubled: those that arrived again between it and the next one. */
export function duplicatesOf(seen: readonly Seen[], rounds: readonly RoundResult[]): number[] {
  const counts = new Array<number>(rounds.length).fill(0)
  for (const atMs of seen.flatMap(({ againAtMs }) => againAtMs)) {
    const index = rounds.findLastIndex(({ beganAtMs }) => beganAtMs <= atMs)
    counts[Math.max(index, 0)] = (counts[Math.max(index, 0)] ?? 0) + 1
  }
  return counts
}

function excess(seen: readonly Seen[], rounds: readonly RoundResult[]): string[] {
  return duplicatesOf(seen, rounds).flatMap((count, index) => {
    const { number, fault, bound } = rounds[index] as RoundResult
    return count <= bound
      ? []
      : `Round ${number} (${fault}): ${count} duplicates, more than ${bound}.`
  })
}

/** A delivery, and how many of its attempts are on record as succeeded. */
interface Success {
  readonly id: string
  readonly attempts: number
}

/** By either the delivery or one of its attempts. */
async function recordedSuccesses(postgres: OwnPostgres): Promise<Success[]> {
  return await postgres.query(
    `select posthorn.type_id('msg', id) as id, coalesce(attempts, 0) as attempts
     from (select id from posthorn.deliveries where state = 'succeeded') as d
     full join (
       select delivery_id as id, count(*)::int as attempts from posthorn.attempts where succeeded group by 1
     ) as a using (id)`,
  )
}

/** The ids of those that the receiver did not acknowledge as often as is on record. */
function unacknowledgedOf(
  successes: readonly Success[],
  seen: ReadonlyMap<string, Seen>,
): string[] {
  return successes
    .filter(({ id, attempts }) => (seen.get(id)?.acknowledged ?? 0) < Math.max(attempts, 1))
    .map(({ id }) => id)
}

async function isDrained(postgres: OwnPostgres): Promise<boolean> {
  return (await leftovers(postgres)).length === 0
}

/** What remains of deliveries in the tables and in the queue, where an exhausted one would keep a failed job. */
async function leftovers(postgres: OwnPostgres): Promise<string[]> {
  const [row] = await postgres.query(
    `select
       (select count(*)::int from posthorn.deliveries where state = 'pending') as pending,
       (select count(*)::int from posthorn.deliveries where state not in ('pending', 'succeeded')) as given_up,
       (select count(*)::int from posthorn.deliveries as d
        where d.state = 'pending' and d.parked_at is null and not exists (
          select from graphile_worker.jobs as j where j.key = posthorn.type_id('msg', d.id))) as without_job,
       (select count(*)::int from graphile_worker.jobs where task_identifier = 'posthorn:deliver') as jobs,
       (select count(*)::int from graphile_worker.jobs
        where task_identifier = 'posthorn:deliver' and attempts >= max_attempts) as failed,
       (select count(*)::int from graphile_worker.jobs
        where task_identifier = 'posthorn:deliver' and key is null) as replaced`,
  )
  const names: Record<string, string> = {
    pending: 'deliveries are still pending',
    given_up: 'deliveries were given up',
    without_job: 'pending deliveries have no job, and are not parked',
    jobs: 'jobs are left',
    failed: 'jobs are shown as failed',
    replaced: 'jobs are left that were replaced',
  }
  return Object.entries(row).flatMap(([name, count]) => (count ? `${count} ${names[name]}.` : []))
}

/** What a process wrote that it should not have had to write. */
function alarms({ name, log }: Member): string[] {
  const lines = log.split('\n').filter((line) => line !== '')
  const alarming = lines.filter(
    (line) => !line.startsWith('{') || /"level":"(error|fatal)"/.test(line),
  )
  if (alarming.length === 0) return []
  return [`${name} wrote ${alarming.length} alarming lines, such as ${alarming[0]?.slice(0, 400)}`]
}
